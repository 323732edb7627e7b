import { copyPeerFile, describePeer, describePython, openPeerDatabase, startPythonPeer, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore, UsageDelta } from "../src/index.js";
import { failAtEveryStatement } from "./support/every-statement.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";

const ROUTE = { model: "m", billingProvider: "p", billingBaseUrl: "u", billingMode: "api" };

function withSession(fields: object = {}): ReturnType<typeof openTestStore> {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli", ...fields });
  return test;
}

function usageRows(store: StateStore, id = "s1"): unknown[] {
  return store.usage.byModel(id).map(({ model, billingProvider, task, inputTokens, apiCallCount }) => [
    model,
    billingProvider,
    task,
    inputTokens,
    apiCallCount,
  ]);
}

describe("record", () => {
  it("COR-32 adds every counter to the session and to its route", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    const delta: UsageDelta = {
      ...ROUTE,
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
      reasoningTokens: 5,
      apiCallCount: 6,
      estimatedCostUsd: 0.25,
      actualCostUsd: 0.5,
      costStatus: "actual",
      costSource: "test",
      pricingVersion: "v1",
    };
    usage.record("s1", delta);
    test.clock.advance(1000);
    usage.record("s1", delta);
    const twice = {
      inputTokens: 2,
      outputTokens: 4,
      cacheReadTokens: 6,
      cacheWriteTokens: 8,
      reasoningTokens: 10,
      apiCallCount: 12,
      estimatedCostUsd: 0.5,
      actualCostUsd: 1,
    };
    const said = { costStatus: "actual", costSource: "test" };
    expect(sessions.get("s1")).toMatchObject({ ...ROUTE, ...twice, ...said, pricingVersion: "v1" });
    const now = test.clock.now();
    const row = { sessionId: "s1", task: "", ...ROUTE, ...twice, ...said, firstSeenSeconds: now - 1, lastSeenSeconds: now };
    expect(usage.byModel("s1")).toEqual([{ ...row, damaged: [] }]);
    expect(usage.byTask("s1")).toEqual([{ task: "", ...twice }]);
  });

  it("COR-32 a missing count of calls means one", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    usage.record("s1", { inputTokens: 1 });
    usage.auxiliary("s1", "background_review", { inputTokens: 1 });
    usage.record("s1", { inputTokens: 1, apiCallCount: 0 });
    expect(sessions.get("s1").apiCallCount).toBe(1);
    expect(usage.byTask("s1").map((task) => [task.task, task.apiCallCount])).toEqual([
      ["", 1],
      ["background_review", 1],
    ]);
  });

  it("COR-32 costs that nobody knows stay unknown, and what is known is not forgotten", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    const costs = (): unknown[] => {
      const { estimatedCostUsd, actualCostUsd, costStatus } = sessions.get("s1");
      return [estimatedCostUsd, actualCostUsd, costStatus];
    };
    usage.record("s1", { inputTokens: 1 });
    expect(costs()).toEqual([null, null, null]);
    usage.record("s1", { estimatedCostUsd: 0, costStatus: "estimated" });
    expect(costs()).toEqual([0, null, "estimated"]);
    usage.record("s1", { actualCostUsd: 0.5, estimatedCostUsd: null, costStatus: null });
    expect(costs()).toEqual([0, 0.5, "estimated"]);
    usage.record("s1", { inputTokens: 1 });
    expect(costs()).toEqual([0, 0.5, "estimated"]);
  });

  it("COR-32 makes a session that nobody made yet; a real source takes the placeholder's place", () => {
    using test = openTestStore();
    const { usage, sessions } = test.store;
    usage.record("new", { inputTokens: 1, model: "m" });
    expect(sessions.get("new")).toMatchObject({ source: "unknown", inputTokens: 1, model: "m" });
    usage.record("new", { inputTokens: 1, source: "telegram" });
    expect(sessions.get("new")).toMatchObject({ source: "telegram", createdSource: "telegram", inputTokens: 2 });
    usage.record("new", { inputTokens: 1, source: "cli" });
    expect(sessions.get("new").source).toBe("telegram");
  });

  it("COR-32 a route is filled in where there is none, by what was used and not by an empty record", () => {
    using test = withSession({ model: "planned" });
    const { usage, sessions } = test.store;
    usage.record("s1", { ...ROUTE, apiCallCount: 0 });
    expect(sessions.get("s1")).toMatchObject({ model: "planned", billingProvider: null });
    expect(usageRows(test.store)).toEqual([]);
    usage.record("s1", { inputTokens: 1, billingMode: "plan", billingProvider: "" });
    expect(sessions.get("s1")).toMatchObject({ model: "planned", billingProvider: null, billingMode: "plan" });
    expect(usageRows(test.store)).toEqual([["planned", "", "", 1, 1]]);
  });

  it("T21 COR-32 the first call that is accounted for replaces the whole route that did not answer", () => {
    using test = withSession({ model: "primary" });
    const { usage, sessions } = test.store;
    sessions.updateBillingRoute("s1", { billingProvider: "p1", billingBaseUrl: "u1", billingMode: "plan" });
    usage.record("s1", { inputTokens: 1, model: "fallback", billingProvider: "p2", billingMode: "api" });
    const fallback = { model: "fallback", billingProvider: "p2", billingBaseUrl: null, billingMode: "api" };
    expect(sessions.get("s1")).toMatchObject(fallback);
    usage.record("s1", { inputTokens: 1, model: "third", billingProvider: "p3" });
    expect(sessions.get("s1")).toMatchObject(fallback);
    expect(usageRows(test.store)).toEqual([
      ["fallback", "p2", "", 1, 1],
      ["third", "p3", "", 1, 1],
    ]);
  });

  it("T21 COR-32 without a provider, or on the planned route, nothing is replaced", () => {
    using test = withSession({ model: "primary" });
    const { usage, sessions } = test.store;
    sessions.updateBillingRoute("s1", { billingProvider: "p1", billingBaseUrl: "u1" });
    usage.record("s1", { inputTokens: 1, apiCallCount: 0, model: "other" });
    usage.record("s1", { inputTokens: 1, model: "primary", billingProvider: "p1", billingBaseUrl: "u9" });
    expect(sessions.get("s1")).toMatchObject({ model: "primary", billingProvider: "p1", billingBaseUrl: "u1" });
  });

  it("COR-32 what a record does not say about its route is the session's, else unknown", () => {
    using test = withSession();
    const { usage } = test.store;
    usage.record("s1", { inputTokens: 1 });
    usage.record("s1", { ...ROUTE, inputTokens: 2 });
    usage.record("s1", { inputTokens: 4 });
    expect(usageRows(test.store)).toEqual([
      ["m", "p", "", 6, 2],
      ["unknown", "", "", 1, 1],
    ]);
  });

  it.each<[unknown]>([
    [{ inputTokens: -1 }],
    [{ inputTokens: 1.5 }],
    [{ inputTokens: Number.NaN }],
    [{ apiCallCount: 2 ** 53 }],
    [{ estimatedCostUsd: Infinity }],
    [{ estimatedCostUsd: "1" }],
    [{ model: 5 }],
    [{ inputTokns: 5 }],
    [null],
  ])("COR-32 refuses %j and stores nothing", (delta) => {
    using test = withSession();
    const { usage } = test.store;
    for (const call of ["record", "setAbsolute", "queue"] as const) {
      expect(() => usage[call]("s1", delta as UsageDelta)).toThrow(/usage\.|option/);
    }
    expect(() => usage.auxiliary("s1", "t", delta as UsageDelta)).toThrow();
    expect([usage.queueState().waiting, usageRows(test.store)]).toEqual([0, []]);
    expect(() => usage.record("", {})).toThrow(TypeError);
  });

  it("COR-32 counters that hold something else count from nothing", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    sql(test.store, "UPDATE sessions SET input_tokens = NULL, output_tokens = 'many', api_call_count = NULL");
    usage.record("s1", { ...ROUTE, inputTokens: 3, outputTokens: 4 });
    expect(sessions.get("s1")).toMatchObject({ ...ROUTE, inputTokens: 3, outputTokens: 4, apiCallCount: 1, damaged: [] });
  });
});

describe("setAbsolute", () => {
  it("T21 COR-32 sets, then a delta adds; what is not given, and an unknown cost, keep what is stored", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    usage.setAbsolute("s1", { ...ROUTE, inputTokens: 900, apiCallCount: 4, estimatedCostUsd: 1, actualCostUsd: 0.5 });
    usage.record("s1", { inputTokens: 100, actualCostUsd: null });
    expect(sessions.get("s1")).toMatchObject({ ...ROUTE, inputTokens: 1000, apiCallCount: 5, actualCostUsd: 0.5 });
    usage.setAbsolute("s1", { inputTokens: 7, actualCostUsd: null });
    expect(sessions.get("s1")).toMatchObject({
      inputTokens: 7,
      apiCallCount: 5,
      estimatedCostUsd: 1,
      actualCostUsd: 0.5,
    });
    expect(usageRows(test.store)).toEqual([["m", "p", "", 100, 1]]);
  });
});

describe("auxiliary", () => {
  it("T21 COR-32 is kept by task and its own route; the session's totals and route stay out of it", () => {
    using test = withSession();
    const { usage, sessions } = test.store;
    usage.record("s1", { ...ROUTE, inputTokens: 1 });
    const before = sessions.get("s1");
    expect(usage.auxiliary("s1", "title", { inputTokens: 5 })).toBe(true);
    usage.auxiliary("s1", "vision", { inputTokens: 6, model: "eye", estimatedCostUsd: 0.1 });
    usage.auxiliary("s1", "vision", { inputTokens: 6, model: "eye", apiCallCount: 2 });
    expect(sessions.get("s1")).toEqual(before);
    expect(usageRows(test.store)).toEqual([
      ["m", "p", "", 1, 1],
      ["unknown", "", "title", 5, 1],
      ["eye", "", "vision", 12, 3],
    ]);
    expect(usage.byTask("s1").map((task) => [task.task, task.estimatedCostUsd])).toEqual([
      ["", 0],
      ["title", 0],
      ["vision", 0.1],
    ]);
    expect([usage.auxiliary("s1", "", {}), usage.auxiliary("", "t", {})]).toEqual([false, false]);
    expect(stateErrorOf(() => usage.auxiliary("nope", "t", {})).code).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(sessions.find("nope")).toBeUndefined();
    expect(() => usage.auxiliary("s1", "t", { source: "x" } as object)).toThrow(TypeError);
  });
});

describe("recentModelRoute", () => {
  it("COR-32 is the route that answered last, not the one that answered most, and never a task's", () => {
    using test = withSession();
    const { usage } = test.store;
    expect(usage.recentModelRoute("s1")).toBeUndefined();
    for (let n = 0; n < 5; n++) usage.record("s1", { ...ROUTE, inputTokens: 100 });
    test.clock.advance(1000);
    usage.record("s1", { inputTokens: 1, model: "new", billingProvider: "p2" });
    test.clock.advance(1000);
    usage.auxiliary("s1", "title", { inputTokens: 1, model: "small" });
    const route = { model: "new", billingProvider: "p2", billingBaseUrl: "u", billingMode: "api" };
    expect(usage.recentModelRoute("s1")).toEqual(route);
    usage.record("s1", { inputTokens: 1, model: "a", billingProvider: "p3" });
    usage.record("s1", { inputTokens: 1, model: "b", billingProvider: "p3" });
    expect(usage.recentModelRoute("s1")?.model).toBe("b");
    sql(test.store, "UPDATE session_model_usage SET last_seen = 'x' WHERE model = 'b'");
    expect(usage.recentModelRoute("s1")?.model).toBe("a");
  });
});

const DAYS = `CREATE TABLE session_daily_usage (session_id TEXT NOT NULL, day TEXT NOT NULL,
  input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0, estimated_cost_usd REAL NOT NULL DEFAULT 0,
  actual_cost_usd REAL NOT NULL DEFAULT 0, api_call_count INTEGER NOT NULL DEFAULT 0, UNIQUE (session_id, day)`;

function days(store: StateStore): unknown[] {
  return store.read((r) =>
    r.all("SELECT day, input_tokens AS input, api_call_count AS calls, actual_cost_usd AS cost FROM session_daily_usage ORDER BY day"),
  );
}

describe("usage by day", () => {
  it("COR-32 is never begun in a file that does not keep it", () => {
    using test = withSession();
    test.store.usage.record("s1", { inputTokens: 1 });
    expect(test.store.read((r) => r.all("SELECT name FROM sqlite_master WHERE name LIKE '%daily%'"))).toEqual([]);
  });

  it("COR-32 goes on where a peer keeps it: deltas, and what totals grew by, on the local day", () => {
    using test = withSession();
    const { usage } = test.store;
    sql(test.store, `${DAYS})`);
    test.clock.set(new Date(2024, 1, 29, 23, 59, 0).getTime() / 1000);
    usage.record("s1", { inputTokens: 10, actualCostUsd: 0.5 });
    test.clock.advance(120_000);
    usage.setAbsolute("s1", { inputTokens: 25, apiCallCount: 1 });
    usage.setAbsolute("s1", { inputTokens: 5 });
    usage.record("s1", { inputTokens: 1 });
    usage.auxiliary("s1", "title", { inputTokens: 100 });
    expect(days(test.store)).toEqual([
      { day: "2024-02-29", input: 10, calls: 1, cost: 0.5 },
      { day: "2024-03-01", input: 16, calls: 1, cost: 0 },
    ]);
  });

  it.each([
    [DAYS.replace("reasoning_tokens INTEGER NOT NULL DEFAULT 0, ", "") + ")"],
    [`${DAYS.replace(", UNIQUE (session_id, day)", "")}, profile TEXT NOT NULL)`],
  ])("COR-32 stays out of a table of another shape, and the session is accounted for all the same", (ddl) => {
    using test = withSession();
    sql(test.store, ddl);
    test.store.usage.record("s1", { inputTokens: 10 });
    expect([days(test.store), test.store.sessions.get("s1").inputTokens]).toEqual([[], 10]);
  });
});

describe("a failure at every statement", () => {
  it.each<[string, (store: StateStore) => void]>([
    ["of a delta", ({ usage }) => usage.record("s1", { ...ROUTE, inputTokens: 5, estimatedCostUsd: 1 })],
    ["of a delta for a new session", ({ usage }) => usage.record("s2", { ...ROUTE, inputTokens: 5, source: "cli" })],
    ["of totals", ({ usage }) => usage.setAbsolute("s1", { inputTokens: 50 })],
    ["of auxiliary work", ({ usage }) => void usage.auxiliary("s1", "title", { inputTokens: 5 })],
  ])("COR-32 %s leaves every total as it was", (_, act) => {
    using after = failAtEveryStatement({
      lay: (store) => {
        store.sessions.create({ id: "s1", source: "cli" });
        sql(store, `${DAYS})`);
        store.usage.record("s1", { ...ROUTE, inputTokens: 1 });
      },
      act,
    });
    expect(after.statements).toBeGreaterThanOrEqual(4);
  });
});

describePython("beside Python", () => {
  it("COR-32 adds to the very row that the peer keeps for a route", async () => {
    using dir = tempDir("usage");
    const path = dir.file("state.db");
    using store = openStateStore({ path });
    store.sessions.create({ id: "s1", source: "cli" });
    store.usage.record("s1", { ...ROUTE, inputTokens: 1 });
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await db.sql(
      `INSERT INTO session_model_usage (session_id, model, billing_provider, billing_base_url, billing_mode, task,
        input_tokens, api_call_count) VALUES ('s1', 'm', 'p', 'u', 'api', '', 10, 1)
      ON CONFLICT (session_id, model, billing_provider, billing_base_url, billing_mode, task) DO UPDATE SET
        input_tokens = input_tokens + excluded.input_tokens, api_call_count = api_call_count + excluded.api_call_count`,
    );
    store.usage.record("s1", { inputTokens: 100 });
    expect(usageRows(store)).toEqual([["m", "p", "", 111, 3]]);
  });
});

describePeer("usage of a real file", () => {
  it.each(["read", "write"] as const)("COR-32 is read as the peer wrote it, opened for %s", (mode) => {
    using dir = tempDir("usage");
    using store = openStateStore({ path: copyPeerFile("peer-v26.db", dir), mode });
    const id = "20260303_120000_uuuu13";
    expect(usageRows(store, id)).toEqual([
      ["example/model-one", "example", "", 1200, 2],
      ["example/model-two", "example", "", 100, 1],
      ["example/vision", "", "vision", 5, 1],
    ]);
    expect(store.usage.recentModelRoute(id)?.model).toBe("example/model-two");
    expect(store.usage.byTask(id)[0]).toMatchObject({ inputTokens: 1300, outputTokens: 345, apiCallCount: 3 });
  });

  it("COR-32 seeds and continues the usage of files older than the table", () => {
    using dir = tempDir("usage");
    using store = openStateStore({ path: copyPeerFile("peer-v16.db", dir) });
    const before = store.sessions.list({ includeChildren: true, hidden: "include", archived: "include", limit: 100 }).sessions;
    const used = before.find((session) => (session.inputTokens ?? 0) > 0);
    const id = used?.id ?? "";
    const seeded = store.usage.byTask(id)[0]?.inputTokens;
    expect(seeded).toBe(used?.inputTokens);
    store.usage.record(id, { inputTokens: 5 });
    expect(store.usage.byTask(id)[0]?.inputTokens).toBe((seeded ?? 0) + 5);
  });
});
