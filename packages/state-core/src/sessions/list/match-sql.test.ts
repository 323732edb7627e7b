import { expect, it } from "vitest";
import { openTestStore, sql } from "../../../test/support/open-test-store.js";
import type { StateStore } from "../../index.js";
import type { SessionFilter } from "./session-filter.js";

function lay(store: StateStore): void {
  const { sessions, messages, titles } = store;
  sessions.create({ id: "a", source: "cli", startedAtSeconds: 100, model: "gpt-4_o", chatType: "dm" });
  sessions.create({ id: "b", source: "cli", startedAtSeconds: 200, model: "gpt-4xo", chatType: "group" });
  sessions.create({ id: "c", source: "api", startedAtSeconds: 300 });
  titles.set("a", "50%_Done");
  titles.set("b", "50 times done");
  messages.append("a", { role: "user", content: "x", timestampSeconds: 5_000 });
  messages.appendBatch("b", [
    { role: "user", content: "x", timestampSeconds: 6_000 },
    { role: "assistant", content: "y", toolCalls: [{ id: "1" }, { id: "2" }], timestampSeconds: 6_001 },
  ]);
  sessions.end("b", "user_exit", { atSeconds: 6_002 });
  sql(store, "UPDATE sessions SET git_branch = 'feat/A_b', billing_provider = 'OpenAI' WHERE id = 'a'");
  sql(store, "UPDATE sessions SET git_branch = 'feat/Axb', billing_provider = 'other' WHERE id = 'b'");
  sql(store, "UPDATE sessions SET input_tokens = 7, output_tokens = 3, estimated_cost_usd = 2 WHERE id = 'a'");
  sql(store, "UPDATE sessions SET input_tokens = 20, estimated_cost_usd = 9, actual_cost_usd = 1 WHERE id = 'b'");
}

const CASES: readonly (readonly [SessionFilter, string])[] = [
  [{ titleLike: "%_d" }, "a"],
  [{ titleLike: "DONE" }, "ab"],
  [{ modelLike: "4_O" }, "a"],
  [{ branchLike: "a_b" }, "a"],
  [{ provider: "OPENAI" }, "a"],
  [{ provider: "Open" }, ""],
  [{ chatType: "dm" }, "a"],
  [{ chatType: "DM" }, ""],
  [{ endReason: "user_exit" }, "b"],
  [{ startedBeforeSeconds: 200 }, "a"],
  [{ startedAfterSeconds: 200 }, "bc"],
  [{ startedAfterSeconds: 100, startedBeforeSeconds: 300 }, "ab"],
  [{ lastActiveBeforeSeconds: 5_000 }, "c"],
  [{ lastActiveBeforeSeconds: 5_001 }, "ac"],
  [{ lastActiveAfterSeconds: 5_000 }, "ab"],
  [{ minMessageCount: 1, maxMessageCount: 1 }, "a"],
  [{ maxMessageCount: 0 }, "c"],
  [{ minToolCallCount: 2 }, "b"],
  [{ maxToolCallCount: 1 }, "ac"],
  [{ minTokens: 10 }, "ab"],
  [{ maxTokens: 10 }, "ac"],
  [{ minCostUsd: 2 }, "a"],
  [{ maxCostUsd: 1 }, "bc"],
  [{ maxCostUsd: 1, source: "cli" }, "b"],
];

it.each(CASES)("COR-33 COR-31 the filter %j finds %j, in a listing and in a count", (filter, found) => {
  using test = openTestStore();
  lay(test.store);
  const { sessions } = test.store;
  for (const order of ["started", "active"] as const) {
    const ids = sessions.list({ ...filter, order }).sessions.map((row) => row.id);
    expect(ids.sort().join("")).toBe(found);
  }
  expect(sessions.count(filter)).toBe(found.length);
});

it("COR-31 a compacted conversation is as active as its last segment", () => {
  using test = openTestStore();
  const { sessions, messages } = test.store;
  sessions.create({ id: "root", source: "cli", startedAtSeconds: 1 });
  sessions.end("root", "compression", { atSeconds: 2 });
  sessions.create({ id: "tip", source: "cli", parentSessionId: "root", startedAtSeconds: 2 });
  messages.append("tip", { role: "user", content: "x", timestampSeconds: 900 });
  expect(sessions.count({ lastActiveAfterSeconds: 900 })).toBe(1);
  expect(sessions.count({ lastActiveBeforeSeconds: 900 })).toBe(0);
});

it("P28 COR-33 a cell that cannot be read is inside of no bound", () => {
  using test = openTestStore();
  lay(test.store);
  sql(test.store, "UPDATE sessions SET started_at = 'x', message_count = 'x', input_tokens = 'x' WHERE id = 'a'");
  sql(test.store, "UPDATE sessions SET actual_cost_usd = 'x', tool_call_count = 'x' WHERE id = 'a'");
  sql(test.store, "UPDATE messages SET timestamp = 'x' WHERE session_id = 'a'");
  const both: readonly SessionFilter[] = [
    { startedBeforeSeconds: 9e9 },
    { startedAfterSeconds: 0 },
    { lastActiveBeforeSeconds: 9e9 },
    { lastActiveAfterSeconds: 0 },
    { minMessageCount: 0 },
    { maxMessageCount: 9 },
    { minTokens: 0 },
    { maxTokens: 99 },
    { minCostUsd: 0 },
    { maxCostUsd: 99 },
    { minToolCallCount: 0 },
    { maxToolCallCount: 9 },
  ];
  for (const filter of both) {
    const ids = test.store.sessions.list(filter).sessions.map((row) => row.id);
    expect(ids, JSON.stringify(filter)).toEqual(["c", "b"]);
  }
});

it("COR-33 refuses wrong types, and ranges that nothing lies in", () => {
  using test = openTestStore();
  const { sessions } = test.store;
  const misuse = [{ titleLike: 5 }, { minTokens: "5" }, { maxMessageCount: 1.5 }, { provider: null }, { title: "x" }];
  for (const filter of misuse) expect(() => sessions.count(filter as never), JSON.stringify(filter)).toThrow(TypeError);
  const impossible: readonly SessionFilter[] = [
    { minTokens: -1 },
    { minCostUsd: Number.NaN },
    { maxCostUsd: Infinity },
    { minMessageCount: 2, maxMessageCount: 1 },
    { startedAfterSeconds: 5, startedBeforeSeconds: 5 },
    { lastActiveAfterSeconds: 6, lastActiveBeforeSeconds: 5 },
  ];
  for (const filter of impossible) expect(() => sessions.count(filter), JSON.stringify(filter)).toThrow(RangeError);
});
