import { openStateStore, type Progress, type StateStore, StateError } from "@hermes/state-core";
import { readIndexState } from "@hermes/state-schema";
import { tempHome, type TempHome, testClock } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runBackfill, stepBackfill } from "../src/index.js";
import { WITHOUT_TRIGRAM } from "./helpers/hooked-driver.js";
import { pauseBackfill } from "./helpers/index-states.js";
import { searchIds } from "./helpers/search-ids.js";
import { expectWholeIndex } from "./helpers/word-census.js";

const ROWS = 1200;
const META = "INSERT INTO state_meta (key, value) VALUES (?, ?)";
const CAPABLE = { fts5: true, trigram: true };

let home: TempHome;
let store: StateStore;

beforeEach(() => {
  home = tempHome();
  store = openStateStore({ path: home.statePath, durability: "normal" });
  store.sessions.create({ id: "s", source: "cli" });
});
afterEach(() => {
  store.close();
  home[Symbol.dispose]();
});

/** A store whose rows wait for their backfill, as the test book has it. */
function fillPending(progress = 0): void {
  const messages = Array.from({ length: ROWS }, (_, index) => ({ role: "user", content: `item${index + 1} oldword` }));
  store.messages.appendBatch("s", messages);
  pauseBackfill(store, progress);
}

const pending = (): unknown => store.read((r) => readIndexState(r, CAPABLE)).pending;
const count = (query: string): number => searchIds(store, query).length;

/** The next open stamps a layout that is settled. */
function expectWhole(): void {
  store.close();
  store = openStateStore({ path: home.statePath, durability: "normal" });
  expectWholeIndex(store, "after");
}

describe("runBackfill", () => {
  it("SEA-08 indexes every row in steps of 500, tells how far it is and clears its markers", async () => {
    fillPending();
    const events: Progress[] = [];
    // A clock that stands still: on a machine that is busy, steps would shrink.
    const report = await runBackfill(
      { ...slice(store), clock: testClock() },
      { pauseMs: 0, onProgress: (event) => events.push(event) },
    );
    expect(report).toEqual({ steps: 3 });
    expect(events).toEqual([
      { phase: "backfill", done: 500, total: ROWS },
      { phase: "backfill", done: 1000, total: ROWS },
      { phase: "backfill", done: ROWS, total: ROWS },
    ]);
    expect(pending()).toBeUndefined();
    expectWhole();
    expect(await runBackfill(store)).toEqual({ steps: 0 });
    expect(stepBackfill(store)).toBe("none");
  });

  it("SEA-08 rests between steps: 200 ms, or four times what the step took", async () => {
    fillPending();
    let now = 0;
    const rests: number[] = [];
    const clock = { ...store.clock, monotonicMs: () => (now += 10) };
    const slow = { ...slice(store), clock };
    await runBackfill(slow, {
      pause: (ms) => {
        rests.push(ms);
        return Promise.resolve();
      },
    });
    // The clock is read before and after a step, and twice inside it.
    expect(rests).toEqual([200, 200]);
    pauseBackfill(store, 0);
    const rests2: number[] = [];
    clock.monotonicMs = () => (now += 100);
    const pause = (ms: number): Promise<void> => (rests2.push(ms), Promise.resolve());
    await runBackfill(slow, { pause });
    expect(rests2).toEqual([1200, 1200]);
    expect(await runBackfill(slow, { pause, pauseMs: 5 })).toEqual({ steps: 0 });
  });

  it("SEA-08 stops between two steps with the reason it was given, and goes on from there", async () => {
    fillPending();
    const controller = new AbortController();
    const reason = new Error("enough");
    const first = runBackfill(store, { signal: controller.signal, onProgress: () => controller.abort(reason) });
    await expect(first).rejects.toBe(reason);
    expect(pending()).toEqual({ progress: 500, highWater: ROWS });
    expect(count("oldword")).toBe(ROWS);
    expect((await runBackfill(store, { pauseMs: 0 })).steps).toBeGreaterThanOrEqual(2);
    expectWhole();
  });

  it("SEA-08 the reason also ends a rest that is under way", async () => {
    fillPending();
    const controller = new AbortController();
    const running = runBackfill(store, { signal: controller.signal, pauseMs: 60_000 });
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(running).rejects.toThrow("enough");
  });

  it("SEA-08 tries a busy file again, three times in a row and no more", async () => {
    fillPending();
    let left = 2;
    let attempts = 0;
    const busy = new StateError("STATE_E_BUSY", "busy");
    const write: StateStore["write"] = (label, fn, patience) => {
      attempts += 1;
      if (left-- > 0) throw busy;
      return store.write(label, fn, patience);
    };
    const { steps } = await runBackfill({ ...slice(store), write }, { pauseMs: 0 });
    expect(attempts).toBe(steps + 2);
    pauseBackfill(store, 0);
    left = Infinity;
    attempts = 0;
    await expect(runBackfill({ ...slice(store), write }, { pauseMs: 0 })).rejects.toBe(busy);
    expect(attempts).toBe(3);
  });

  it("SEA-08 a permanent error ends it at once", async () => {
    fillPending();
    let attempts = 0;
    const full = new StateError("STATE_E_DISK_FULL", "full");
    const write = (): never => {
      attempts += 1;
      throw full;
    };
    await expect(runBackfill({ ...slice(store), write }, { pauseMs: 0 })).rejects.toBe(full);
    expect(attempts).toBe(1);
  });

  it("SEA-08 finishes on an empty store, whatever its markers say", async () => {
    store.write("test: markers", (w) => {
      w.run(META, ["fts_rebuild_high_water", "0"]);
      w.run(META, ["fts_rebuild_progress", "0"]);
    });
    expect(await runBackfill(store, { pauseMs: 0 })).toEqual({ steps: 1 });
    expect(pending()).toBeUndefined();
  });

  it("SEA-08 starts over when the progress was lost, and misses no row above the high water", async () => {
    fillPending();
    stepBackfill(store);
    const later = Array.from({ length: 1100 }, (_, index) => ({ role: "user", content: `late${index} oldword` }));
    store.messages.appendBatch("s", later);
    store.write("test: lose the progress", (w) => w.run("DELETE FROM state_meta WHERE key = 'fts_rebuild_progress'"));
    await runBackfill(store, { pauseMs: 0 });
    expectWhole();
    expect(count("oldword")).toBe(ROWS + 1100);
  });

  it("SEA-08 two handles that step in turn share the work: no row is indexed twice", () => {
    fillPending();
    using other = openStateStore({ path: home.statePath, durability: "normal" });
    const steps = [stepBackfill(store), stepBackfill(other), stepBackfill(store), stepBackfill(other)];
    expect(steps).toEqual(["more", "more", "done", "none"]);
    expectWhole();
  });

  it("SEA-08 ends without a trigram tokenizer; the trigram index is left to a capable runtime", async () => {
    fillPending();
    store.close();
    {
      using poor = openStateStore({ path: home.statePath, driver: WITHOUT_TRIGRAM });
      expect(poor.info().capabilities).toEqual({ fts5: true, trigram: false });
      await runBackfill(poor, { pauseMs: 0 });
      expect(poor.read((r) => readIndexState(r, CAPABLE)).pending).toBeUndefined();
      expect(searchIds(poor, "oldword")).toHaveLength(ROWS);
    }
    store = openStateStore({ path: home.statePath, durability: "normal" });
    await runBackfill(store, { pauseMs: 0 });
    expectWhole();
  });

  it("SEA-08 leaves the markers of the CJK index to runtimes that have its tokenizer", async () => {
    fillPending();
    store.write("test: markers", (w) => {
      w.run(META, ["fts_cjk_rebuild_high_water", "1200"]);
      w.run(META, ["fts_cjk_rebuild_progress", "500"]);
    });
    await runBackfill(store, { pauseMs: 0 });
    const left = store.read((r) =>
      r.tuples("SELECT key, value FROM state_meta WHERE key LIKE 'fts\\_cjk%' ESCAPE '\\'"),
    );
    expect(left).toEqual([
      ["fts_cjk_rebuild_high_water", "1200"],
      ["fts_cjk_rebuild_progress", "500"],
    ]);
  });

  it("SEA-08 refuses options it does not have and rests that are none", async () => {
    await expect(runBackfill(store, { pauseMS: 3 } as object)).rejects.toThrow(TypeError);
    await expect(runBackfill(store, { pauseMs: "3" as unknown as number })).rejects.toThrow(TypeError);
    await expect(runBackfill(store, { pauseMs: -1 })).rejects.toThrow(RangeError);
    await expect(runBackfill(store, { pauseMs: Infinity })).rejects.toThrow(RangeError);
  });
});

/** The methods of a store that a backfill uses, to be replaced one by one. */
function slice(of: StateStore): Pick<StateStore, "clock" | "info" | "read" | "write"> {
  return {
    clock: of.clock,
    info: () => of.info(),
    read: (fn) => of.read(fn),
    write: (label, fn, patience) => of.write(label, fn, patience),
  };
}
