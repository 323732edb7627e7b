import { testRandom, seedFor } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore, UsageDelta } from "../src/index.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";
import { wrappedDriver } from "./wrapped-driver.js";

const A = { model: "a", billingProvider: "pa" };
const B = { model: "b", billingProvider: "pb" };

function withSession(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  return test;
}

/** What the file says, asked without any part that would settle the queue first. */
function stored(store: StateStore, id = "s1"): { input: number; calls: number } | undefined {
  return store.read((r) =>
    r.get("SELECT input_tokens AS input, api_call_count AS calls FROM sessions WHERE id = ?", [id]),
  );
}

function rows(store: StateStore, id = "s1"): unknown[] {
  return store.usage.byModel(id).map((row) => [row.model, row.task, row.inputTokens, row.apiCallCount]);
}

describe("queueing", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("COR-04 writes a moment later, in one transaction, and then leaves no timer behind", () => {
    using test = withSession();
    const { usage } = test.store;
    expect(vi.getTimerCount()).toBe(0);
    usage.queue("s1", { ...A, inputTokens: 1 });
    usage.queue("s1", { ...B, inputTokens: 2 });
    expect([stored(test.store)?.input, usage.queueState().waiting, vi.getTimerCount()]).toEqual([0, 2, 1]);
    vi.advanceTimersByTime(1000);
    expect([stored(test.store)?.input, usage.queueState().waiting, vi.getTimerCount()]).toEqual([3, 0, 0]);
    usage.queue("s1", { ...B, inputTokens: 4 });
    vi.advanceTimersByTime(1000);
    expect([stored(test.store)?.input, vi.getTimerCount()]).toEqual([7, 0]);
  });

  it("COR-32 merges neighbours of one route, and no others, in order", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    const queue = (delta: UsageDelta, options = {}): number => {
      usage.queue("s1", delta, options);
      return usage.queueState().waiting;
    };
    expect(queue({ ...A, inputTokens: 1, actualCostUsd: 1 })).toBe(1);
    expect(queue({ ...A, inputTokens: 2 })).toBe(1);
    expect(queue({ ...B, inputTokens: 4 })).toBe(2);
    expect(queue({ ...A, inputTokens: 8 })).toBe(3);
    expect(queue({ ...A, inputTokens: 16, costStatus: "actual" })).toBe(4);
    expect(queue({ ...A, inputTokens: 32, costStatus: "actual" }, { task: "title" })).toBe(5);
    expect(queue({ ...A, inputTokens: 32, costStatus: "actual" }, { task: "title" })).toBe(5);
    expect(queue({ inputTokens: 1000 }, { absolute: true })).toBe(6);
    expect(queue({ inputTokens: 1000 }, { absolute: true })).toBe(7);
    usage.queue("s2", { ...A, inputTokens: 64 });
    expect(usage.queueState().waiting).toBe(8);
    expect(usage.flush()).toBe(true);
    expect(sessions.get("s1")).toMatchObject({ ...A, inputTokens: 1000, actualCostUsd: 1, costStatus: "actual" });
    expect(rows(test.store)).toEqual([
      ["a", "", 27, 4],
      ["b", "", 4, 1],
      ["a", "title", 64, 2],
    ]);
    expect(stored(test.store, "s2")).toEqual({ input: 64, calls: 1 });
  });

  it("COR-32 unknown costs stay unknown when neighbours are merged", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    for (let n = 0; n < 3; n++) usage.queue("s1", { inputTokens: 1 });
    expect(sessions.get("s1")).toMatchObject({ estimatedCostUsd: null, actualCostUsd: null, inputTokens: 3 });
    usage.queue("s1", { estimatedCostUsd: 0.25 });
    usage.queue("s1", { estimatedCostUsd: null });
    expect(sessions.get("s1")).toMatchObject({ estimatedCostUsd: 0.25, actualCostUsd: null });
  });

  it("COR-32 a thousand records over two routes and a close: totals and rows are exact", () => {
    using test = withSession();
    const { usage } = test.store;
    const random = testRandom(seedFor("usage queue"));
    const sums = { a: 0, b: 0 };
    for (let n = 0; n < 1000; n++) {
      const name = random.next() < 0.5 ? "a" : "b";
      sums[name] += n;
      usage.queue("s1", { ...(name === "a" ? A : B), inputTokens: n });
    }
    test.store.close();
    using again = openStateStore({ path: test.path });
    expect(stored(again)).toEqual({ input: 499_500, calls: 1000 });
    const byModel = again.usage.byModel("s1");
    expect(byModel.map((row) => row.inputTokens)).toEqual([sums.a, sums.b]);
    expect((byModel[0]?.apiCallCount ?? 0) + (byModel[1]?.apiCallCount ?? 0)).toBe(1000);
  });

  it("COR-32 however records are queued, the file says what it would say had each been written at once", () => {
    const random = testRandom(seedFor("usage order"));
    const pick = <T>(...values: readonly T[]): T => values[Math.floor(random.next() * values.length)] as T;
    for (let round = 0; round < 40; round++) {
      using test = openTestStore();
      const { usage, sessions } = test.store;
      // Of another handle, whose records do not settle this one's queue.
      using other = openStateStore({ path: test.path, clock: test.clock });
      for (const id of ["at once", "queued"]) sessions.create({ id, source: "cli", model: "planned" });
      for (let n = 0; n < 12; n++) {
        const delta: UsageDelta = {
          ...pick<UsageDelta>({}, A, A, B, { model: "a" }, { billingMode: "plan" }),
          ...pick<UsageDelta>({}, {}, { costStatus: "actual" }),
          ...pick<UsageDelta>({ apiCallCount: 0 }, {}, { inputTokens: 1 + n }, { outputTokens: 7, actualCostUsd: 0.5 }),
        };
        const how = pick("delta", "delta", "delta", "absolute", "task");
        if (how === "absolute") other.usage.setAbsolute("at once", delta);
        else if (how === "task") other.usage.auxiliary("at once", "title", delta);
        else other.usage.record("at once", delta);
        usage.queue("queued", delta, { absolute: how === "absolute", task: how === "task" ? "title" : "" });
        if (n % 6 === 5) usage.flush();
      }
      const { id: _one, ...atOnce } = sessions.get("at once");
      const { id: _two, ...queued } = sessions.get("queued");
      expect(queued).toEqual(atOnce);
      expect(rows(test.store, "queued")).toEqual(rows(test.store, "at once"));
    }
  });

  it("COR-32 what is queued reaches the file before anything that shows or changes what it belongs to", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    const steps: readonly [string, () => unknown][] = [
      ["get", () => sessions.get("s1")],
      ["find", () => sessions.find("s1")],
      ["list", () => sessions.list()],
      ["iterate", () => [...sessions.iterate()]],
      ["byModel", () => usage.byModel("s1")],
      ["byTask", () => usage.byTask("s1")],
      ["recentModelRoute", () => usage.recentModelRoute("s1")],
      ["record", () => usage.record("s1", { inputTokens: 0, apiCallCount: 0 })],
      ["updateModel", () => sessions.updateModel("s1", "x")],
      ["updateConfig", () => sessions.updateConfig("s1", { model: "x" })],
      ["updateBillingRoute", () => sessions.updateBillingRoute("s1", { billingProvider: "x", billingBaseUrl: null })],
      ["listGatewaySessions", () => test.store.routing.listGatewaySessions()],
    ];
    for (const [n, [name, step]] of steps.entries()) {
      usage.queue("s1", { inputTokens: 1 });
      expect(stored(test.store)?.input, name).toBe(n);
      step();
      expect(stored(test.store)?.input, name).toBe(n + 1);
    }
    expect(sessions.get("s1").inputTokens).toBe(steps.length);
  });

  it("COR-04 a read that settles inside a write of the caller leaves the queue for later", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    usage.queue("s1", { inputTokens: 1 });
    const seen = test.store.write("outer", (w) => {
      w.run("UPDATE sessions SET title = 'x' WHERE id = 's1'");
      return sessions.get("s1").inputTokens;
    });
    expect([seen, usage.queueState().waiting]).toEqual([0, 1]);
    expect(sessions.get("s1").inputTokens).toBe(1);
  });

  it("COR-32 auxiliary work of a session that is gone is counted, and holds up nothing", () => {
    using test = withSession();
    const { usage } = test.store;
    usage.queue("gone", { inputTokens: 1 }, { task: "title" });
    usage.queue("s1", { inputTokens: 2 });
    expect(usage.flush()).toBe(true);
    expect([usage.queueState().dropped, stored(test.store)?.input]).toEqual([1, 2]);
    expect(test.store.sessions.find("gone")).toBeUndefined();
  });
});

describe("a file that cannot be written", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** An impatient store over the clock of the machine, for waiting on locks takes real time. */
  function impatient(): { readonly path: string; readonly store: StateStore } & Disposable {
    const test = withSession();
    test.store.close();
    const store = openStateStore({ path: test.path, patience: { routine: 20, activity: 5 } });
    return {
      path: test.path,
      store,
      [Symbol.dispose]: () => {
        store.close();
        test[Symbol.dispose]();
      },
    };
  }

  /** A second handle on the file holds the write lock for the length of `fn`. */
  function whileLocked(path: string, fn: () => void): void {
    using other = openStateStore({ path });
    other.write("hold", (w) => {
      w.run("UPDATE sessions SET started_at = started_at");
      fn();
    });
  }

  it("COR-04 nothing is lost while the file is busy: no record twice, none missing", () => {
    using test = impatient();
    const { usage, sessions } = test.store;
    whileLocked(test.path, () => {
      usage.queue("s1", { inputTokens: 1 });
      vi.advanceTimersByTime(60_000);
      expect(usage.flush(0)).toBe(false);
      expect(usage.queueState()).toMatchObject({ waiting: 1, failure: expect.stringContaining("locked") as string });
      // A read is not held up, and shows what is there.
      expect(sessions.get("s1").inputTokens).toBe(0);
      usage.queue("s1", { inputTokens: 2 });
      expect(vi.getTimerCount()).toBe(1);
    });
    vi.advanceTimersByTime(60_000);
    expect(usage.queueState()).toEqual({ waiting: 0, dropped: 0, failure: undefined });
    expect([stored(test.store), vi.getTimerCount()]).toEqual([{ input: 3, calls: 2 }, 0]);
  });

  it("COR-32 a route is not changed over the head of what waits for it", () => {
    using test = impatient();
    const { usage, sessions } = test.store;
    usage.queue("s1", { ...A, inputTokens: 1 });
    whileLocked(test.path, () => {
      expect(stateErrorOf(() => sessions.updateModel("s1", "b")).code).toBe("STATE_E_BUSY");
    });
    sessions.updateModel("s1", "b");
    expect([rows(test.store), sessions.get("s1").model]).toEqual([[["a", "", 1, 1]], "b"]);
  });

  it("COR-32 a route is not changed either when the file comes free just after the patience with the queue has ended", () => {
    let busyUntilMs = -1;
    using fresh = withSession();
    fresh.store.close();
    const driver = wrappedDriver("busy", {
      running: (text) => {
        if (text !== "BEGIN IMMEDIATE" || fresh.clock.monotonicMs() >= busyUntilMs) return;
        throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
      },
    });
    using store = openStateStore({ path: fresh.path, driver, clock: fresh.clock, patience: { routine: 1000 } });
    store.usage.queue("s1", { ...A, inputTokens: 1 });
    busyUntilMs = fresh.clock.monotonicMs() + 1001;
    expect(stateErrorOf(() => store.sessions.updateModel("s1", "b")).code).toBe("STATE_E_BUSY");
    expect(store.sessions.get("s1")).toMatchObject({ model: "a", inputTokens: 1 });
  });

  it("COR-04 accounting that fails stops no other write, is tried again, and is told when it is lost at close", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    sql(test.store, "ALTER TABLE session_model_usage RENAME TO hidden_usage");
    usage.queue("s1", { ...A, inputTokens: 1 });
    sessions.updateModel("s1", "b");
    expect(sessions.get("s1")).toMatchObject({ model: "b", inputTokens: 0 });
    expect([usage.flush(), usage.queueState().waiting]).toEqual([false, 1]);
    sql(test.store, "ALTER TABLE hidden_usage RENAME TO session_model_usage");
    vi.advanceTimersByTime(60_000);
    expect(rows(test.store)).toEqual([["a", "", 1, 1]]);
    sql(test.store, "DROP TABLE session_model_usage");
    usage.queue("s1", { ...A, inputTokens: 1 });
    const warnings: unknown[] = [];
    const listen = (warning: Error): void => void warnings.push((warning as { code?: unknown }).code);
    process.on("warning", listen);
    test.store.close();
    process.off("warning", listen);
    expect(warnings).toEqual(["HERMES_STATE_USAGE_LOST"]);
  });

  it("COR-04 a failure at every statement of a batch keeps the whole batch, which is then written once", () => {
    let left = Infinity;
    const driver = wrappedDriver("faulty", {
      running: (text, connection) => {
        if (text === "ROLLBACK" || (text !== "BEGIN IMMEDIATE" && !connection.inTransaction)) return;
        left -= 1;
        if (left === 0) throw new Error("injected");
      },
    });
    using test = openTestStore();
    test.store.close();
    using store = openStateStore({ path: test.path, driver, clock: test.clock });
    store.sessions.create({ id: "s1", source: "cli" });
    store.usage.queue("s1", { ...A, inputTokens: 1 });
    store.usage.queue("s1", { ...B, inputTokens: 1 });
    let statement = 0;
    for (let written = false; !written && statement < 50; ) {
      statement += 1;
      left = statement;
      written = store.usage.flush();
      left = Infinity;
      expect(stored(store)).toEqual(written ? { input: 2, calls: 2 } : { input: 0, calls: 0 });
    }
    expect(statement).toBeGreaterThan(8);
    expect([statement < 50, store.usage.queueState().waiting, rows(store).length]).toEqual([true, 0, 2]);
  });

  it("COR-04 a store for reading refuses to queue, a closed one too", () => {
    using test = withSession();
    const { usage } = test.store;
    using reading = openStateStore({ path: test.path, mode: "read" });
    expect(stateErrorOf(() => reading.usage.queue("s1", {})).code).toBe("STATE_E_READONLY");
    expect(stateErrorOf(() => reading.usage.record("s1", {})).code).toBe("STATE_E_READONLY");
    expect([reading.usage.flush(), reading.usage.queueState().waiting]).toEqual([true, 0]);
    usage.queue("s1", { inputTokens: 1 });
    test.store.close();
    expect(stateErrorOf(() => usage.queue("s1", { inputTokens: 1 })).code).toBe("STATE_E_CLOSED");
    expect(stateErrorOf(() => usage.record("s1", { inputTokens: 1 })).code).toBe("STATE_E_CLOSED");
    expect([usage.flush(), usage.queueState().waiting, vi.getTimerCount()]).toEqual([true, 0, 0]);
    using again = openStateStore({ path: test.path });
    expect(stored(again)?.input).toBe(1);
  });

  it("COR-04 refuses impossible options", () => {
    using test = withSession();
    const { usage } = test.store;
    expect(() => usage.flush(-1)).toThrow(RangeError);
    expect(() => usage.queue("s1", {}, { tsk: "x" } as object)).toThrow(TypeError);
    expect(() => usage.queue("s1", {}, { task: "x", absolute: true })).toThrow(TypeError);
    expect(() => usage.queue("s1", { source: "x" }, { task: "x" })).toThrow(TypeError);
  });
});
