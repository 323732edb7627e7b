import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../test/support/open-test-store.js";
import type { TestStore } from "../../test/support/open-test-store.js";
import { openStateStore, withTurnLease } from "../index.js";
import type { TurnOptions, TurnWait } from "../index.js";

const OTHER = "someone without a process id";

function withSession(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  return test;
}

/** Time passes for those who wait; for a turn that is refreshed it stands still until its end. */
function waiting(test: TestStore): Required<Pick<TurnOptions, "pause">> & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return {
    pauses,
    pause: (ms, signal) => {
      if (ms >= 100_000) return ended(signal);
      pauses.push(ms);
      test.clock.advance(ms);
      return Promise.resolve();
    },
  };
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve());
  });
}

function code(expected: string): unknown {
  return expect.objectContaining({ code: expected });
}

describe("a turn", () => {
  it("COR-25 runs under a lease of its conversation, hands on what it returns, and gives the lease back", async () => {
    using test = withSession();
    const { store, clock } = test;
    const result = await withTurnLease(store, "s1", (turn) => {
      expect(store.leases.holder("turn", "s1")?.holder).toBe(turn.holder);
      expect(turn).toMatchObject({ kind: "turn", key: "s1", expiresAtSeconds: clock.now() + 300 });
      expect(turn.signal.aborted).toBe(false);
      return "answer";
    });
    expect(result).toBe("answer");
    expect(store.leases.list("turn")).toEqual([]);
  });

  it("COR-25 gives it back when it throws", async () => {
    using test = withSession();
    const failing = withTurnLease(test.store, "s1", () => Promise.reject(new Error("provider 500")));
    await expect(failing).rejects.toThrow("provider 500");
    expect(test.store.leases.list("turn")).toEqual([]);
  });

  it("COR-25 two of one conversation run one after the other", async () => {
    using test = withSession();
    const { store } = test;
    const order: string[] = [];
    const turn = (name: string): Promise<void> =>
      withTurnLease(
        store,
        "s1",
        async () => {
          order.push(`${name} begins`);
          await Promise.resolve();
          await new Promise((resolve) => setTimeout(resolve, 20));
          order.push(`${name} ends`);
        },
        { pollSeconds: 0.005 },
      );
    await Promise.all([turn("a"), turn("b")]);
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });

  it("COR-25 that begins waits by the second, and says so every fifteen", async () => {
    using test = withSession();
    const { store } = test;
    store.leases.acquire("turn", "s1", { holder: OTHER, ttlSeconds: 40 });
    const time = waiting(test);
    const notices: TurnWait[] = [];
    await withTurnLease(store, "s1", () => undefined, { pause: time.pause, onWait: (wait) => notices.push(wait) });
    expect(time.pauses).toEqual(Array.from({ length: 41 }, () => 1000));
    expect(notices).toMatchObject([
      { sessionId: "s1", waitedSeconds: 15, heldBy: { holder: OTHER } },
      { waitedSeconds: 30 },
    ]);
  });

  it("COR-25 gives up after half an hour, with the holder", async () => {
    using test = withSession();
    const { store } = test;
    store.leases.acquire("turn", "s1", { holder: OTHER, ttlSeconds: 7200 });
    const time = waiting(test);
    const waited = withTurnLease(store, "s1", () => undefined, { pause: time.pause });
    await expect(waited).rejects.toMatchObject({
      code: "STATE_E_TURN_LEASE_HELD",
      facts: { sessionId: "s1", heldBy: OTHER, waitedSeconds: 1800, bucket: "turn_lease" },
    });
    expect(time.pauses).toHaveLength(1800);
    expect(store.leases.holder("turn", "s1")?.holder).toBe(OTHER);
  });

  it("COR-25 does not wait at all when it must not", async () => {
    using test = withSession();
    test.store.leases.acquire("turn", "s1", { holder: OTHER });
    const waited = withTurnLease(test.store, "s1", () => undefined, { waitSeconds: 0 });
    await expect(waited).rejects.toEqual(code("STATE_E_TURN_LEASE_HELD"));
  });

  it("COR-25 stops waiting when a signal or a callback says so", async () => {
    using test = withSession();
    const { store } = test;
    store.leases.acquire("turn", "s1", { holder: OTHER });
    const never = (): never => {
      throw new Error("it must not run");
    };
    const reason = new Error("the user left");
    await expect(withTurnLease(store, "s1", never, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const waited = withTurnLease(store, "s1", never, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(waited).rejects.toBe(reason);
    let looks = 0;
    const { pause } = waiting(test);
    const stopped = withTurnLease(store, "s1", never, { pause, shouldStop: () => ++looks > 3 });
    await expect(stopped).rejects.toEqual(code("STATE_E_ABORTED"));
    expect(looks).toBe(4);
    await expect(withTurnLease(store, "s1", never, { pause: () => Promise.reject(reason) })).rejects.toBe(reason);
    expect(store.leases.list("turn")).toHaveLength(1);
  });

  it("COR-25 a busy file is no holder: waiting goes on, and its end says busy", async () => {
    using test = withSession();
    const path = test.path;
    const { clock } = test;
    using store = openStateStore({ path, clock, patience: { activity: 0 } });
    let looks = 0;
    using other = openStateStore({ path });
    // The other handle writes for as long as ours looks.
    const blocked = other.write("hold the file", (w) => {
      w.run("UPDATE sessions SET rewind_count = 0");
      const pause = (ms: number): Promise<void> => {
        looks += 1;
        clock.advance(ms);
        return Promise.resolve();
      };
      return { attempt: withTurnLease(store, "s1", () => "never", { waitSeconds: 0, pause }) };
    });
    await expect(blocked.attempt).rejects.toEqual(code("STATE_E_BUSY"));
    expect(looks).toBe(0);
    await expect(withTurnLease(store, "s1", () => "now")).resolves.toBe("now");
  });

  it("COR-25 is refreshed three times as often as its lease would end", async () => {
    using test = withSession();
    const { store, clock } = test;
    let beats = 0;
    const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
      if (beats === 5) return ended(signal);
      beats += 1;
      clock.advance(ms);
    };
    await withTurnLease(
      store,
      "s1",
      async (turn) => {
        while (beats < 5) await new Promise((resolve) => setImmediate(resolve));
        expect(store.leases.holder("turn", "s1")).toMatchObject({ holder: turn.holder });
        expect(clock.now() - turn.acquiredAtSeconds).toBeCloseTo(50, 5);
        expect(turn.signal.aborted).toBe(false);
      },
      { ttlSeconds: 30, pause },
    );
    expect(store.leases.list("turn")).toEqual([]);
  });

  it("COR-25 sees its signal abort when the lease is lost, and takes nothing from the one who has it now", async () => {
    using test = withSession();
    const { store } = test;
    let beat = (): void => undefined;
    const pause = (_: number, signal: AbortSignal): Promise<void> =>
      Promise.race([ended(signal), new Promise<void>((resolve) => (beat = resolve))]);
    const reason = await withTurnLease(
      store,
      "s1",
      async (turn) => {
        sql(store, "UPDATE session_turn_leases SET holder = ?", OTHER);
        beat();
        await ended(turn.signal);
        return turn.signal.reason as unknown;
      },
      { pause },
    );
    expect(reason).toEqual(code("STATE_E_TURN_LEASE_LOST"));
    expect(store.leases.holder("turn", "s1")?.holder).toBe(OTHER);
  });

  it("COR-25 its result stands when the lease cannot be given back", async () => {
    using test = withSession();
    const result = await withTurnLease(test.store, "s1", () => {
      test.store.close();
      return "answer";
    });
    expect(result).toBe("answer");
  });

  it("COR-25 refuses misspelt options and impossible numbers", async () => {
    using test = withSession();
    const run = (options: object): Promise<unknown> => withTurnLease(test.store, "s1", () => undefined, options);
    await expect(run({ wait: 5 })).rejects.toThrow(TypeError);
    await expect(run({ waitSeconds: -1 })).rejects.toThrow(RangeError);
    await expect(run({ pollSeconds: 0 })).rejects.toThrow(RangeError);
    await expect(run({ ttlSeconds: NaN })).rejects.toThrow(RangeError);
    expect(test.store.leases.list("turn")).toEqual([]);
  });
});
