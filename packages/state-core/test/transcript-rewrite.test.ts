import { describePython, runPython } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { MessageRow, NewMessage, ReplaceMode, StateStore } from "../src/index.js";
import { checkIndexes, wrongCounters } from "./support/dump-store.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

/** u1 a1 u2 a2 u3 a3, each a second after the last; assistants call one tool. */
function sixTurns(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  for (let turn = 1; turn <= 3; turn++) {
    test.clock.advance(1000);
    test.store.messages.append("s1", { role: "user", content: `u${String(turn)}` });
    test.clock.advance(1000);
    test.store.messages.append("s1", { role: "assistant", content: `a${String(turn)}`, toolCalls: [{ id: "c" }] });
  }
  return test;
}

const live = (store: StateStore, id = "s1"): unknown[] =>
  store.messages.conversation(id).messages.map((message) => message.content);

/** Content, active, compacted of every row. */
const states = (store: StateStore): string[] =>
  store.messages
    .page("s1", { include: "all" })
    .messages.map((row) => `${row.content as string} ${row.active ? "live" : row.compacted ? "compacted" : "hidden"}`);

describe("COR-27 rewind and restore", () => {
  it("COR-27 takes a user message and everything after it back, counts, and names the new head", () => {
    using test = sixTurns();
    const receipt = test.store.messages.rewindTo("s1", 3);
    expect(receipt).toMatchObject({ rewoundCount: 4, newHeadId: 2, target: { id: 3, role: "user", content: "u2" } });
    expect(live(test.store)).toEqual(["u1", "a1"]);
    expect(test.store.sessions.get("s1")).toMatchObject({ rewindCount: 1, messageCount: 2, toolCallCount: 1 });
    expect(test.store.messages.page("s1", { include: "visible" }).messages).toHaveLength(2);
  });

  it("COR-27 T8 twice is the same state, and counted twice; to the very first, nothing is left", () => {
    using test = sixTurns();
    const { messages, sessions } = test.store;
    messages.rewindTo("s1", 3);
    const before = states(test.store);
    expect(messages.rewindTo("s1", 3)).toMatchObject({ rewoundCount: 0, newHeadId: 2 });
    expect(states(test.store)).toEqual(before);
    expect(sessions.get("s1").rewindCount).toBe(2);
    expect(messages.rewindTo("s1", 1)).toMatchObject({ rewoundCount: 2, newHeadId: null });
    expect(live(test.store)).toEqual([]);
  });

  it.each([
    [2, "role"],
    [99, "absent"],
    [8, "absent"],
    [7, "compacted"],
  ])("COR-27 T8 refuses message %s as a target: %s", (id, reason) => {
    using test = sixTurns();
    const { messages, sessions } = test.store;
    messages.append("s1", { role: "user", content: "x", active: false, compacted: true });
    sessions.create({ id: "other", source: "cli" });
    messages.append("other", { role: "user", content: "x" });
    const before = states(test.store);
    const error = stateErrorOf(() => messages.rewindTo("s1", id));
    expect([error.code, error.facts["reason"], error.facts["messageId"]]).toEqual(["STATE_E_REWIND_TARGET", reason, id]);
    expect(states(test.store)).toEqual(before);
    expect(sessions.get("s1").rewindCount).toBe(0);
  });

  it("COR-27 restores what was rewound, from an id on, in order", () => {
    using test = sixTurns();
    const { messages, sessions } = test.store;
    messages.rewindTo("s1", 3);
    expect(messages.restoreFrom("s1", 5)).toEqual({ restoredCount: 2, newHeadId: 6 });
    expect(live(test.store)).toEqual(["u1", "a1", "u3", "a3"]);
    expect(messages.restoreFrom("s1", 0)).toEqual({ restoredCount: 2, newHeadId: 6 });
    expect(live(test.store)).toEqual(["u1", "a1", "u2", "a2", "u3", "a3"]);
    expect(sessions.get("s1")).toMatchObject({ messageCount: 6, toolCallCount: 3, rewindCount: 1 });
    expect(messages.restoreFrom("s1", 0)).toEqual({ restoredCount: 0, newHeadId: 6 });
  });

  it("COR-27 T8 a restore after a compaction revives neither compacted rows nor what it carried over", () => {
    using test = sixTurns();
    const { messages, compaction } = test.store;
    messages.rewindTo("s1", 5);
    const loaded = messages.conversation("s1").messages;
    const watermark = compaction.watermark("s1");
    test.clock.advance(1000);
    messages.append("s1", { role: "user", content: "late" });
    const summary = { role: "user", content: "summary", compressedSummary: true };
    compaction.archive("s1", [summary, ...loaded.slice(-1)], { watermark, tailCount: 1 });
    expect(live(test.store)).toEqual(["summary", "a2", "late"]);
    const receipt = messages.restoreFrom("s1", 0);
    // Only what the user took back comes back: not u1 a1 u2 (compacted), not a2 and late (they are live already).
    expect(receipt.restoredCount).toBe(2);
    expect(live(test.store)).toEqual(["u3", "a3", "summary", "a2", "late"]);
    expect(states(test.store).slice(0, 3)).toEqual(["u1 compacted", "a1 compacted", "u2 compacted"]);
    expect(wrongCounters(test.store)).toEqual([]);
  });

  it("COR-27 a restore after a rewrite brings no message twice", () => {
    using test = sixTurns();
    const { messages } = test.store;
    const list = messages.conversation("s1").messages;
    messages.replace("s1", [...list.slice(0, 4), { role: "user", content: "u3 edited" }], "archive-dropped");
    messages.restoreFrom("s1", 0);
    expect(live(test.store).filter((content) => content === "u1")).toHaveLength(1);
    expect(live(test.store)).toEqual(["u3", "a3", "u1", "a1", "u2", "a2", "u3 edited"]);
  });

  it("COR-27 equal messages that were both taken back both come back", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    for (let n = 0; n < 3; n++) messages.append("s1", { role: "user", content: "ok", timestampSeconds: 7 });
    messages.rewindTo("s1", 2);
    expect(messages.restoreFrom("s1", 2).restoredCount).toBe(2);
    messages.rewindTo("s1", 1);
    expect(messages.restoreFrom("s1", 1).restoredCount).toBe(3);
    expect(live(test.store)).toEqual(["ok", "ok", "ok"]);
  });

  it("COR-27 sessions that compression closed name their tip; orphans reopen; unknown ones are named", () => {
    using test = sixTurns();
    const { messages, sessions } = test.store;
    const calls = [
      (id: string) => messages.rewindTo(id, 1),
      (id: string) => messages.restoreFrom(id, 1),
      (id: string) => messages.replace(id, [], "active-only"),
    ];
    for (const call of calls) expect(stateErrorOf(() => call("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(stateErrorOf(() => messages.clear("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
    sessions.end("s1", "compression");
    messages.rewindTo("s1", 5);
    expect(sessions.get("s1").endReason).toBeNull();
    sessions.end("s1", "compression");
    sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    for (const call of calls) {
      const error = stateErrorOf(() => call("s1"));
      expect([error.code, error.facts["tipId"]]).toEqual(["STATE_E_COMPRESSION_CLOSED", "s2"]);
    }
    expect(states(test.store)).toHaveLength(6);
  });

  it("COR-27 refuses ids that are none", () => {
    using test = sixTurns();
    const { messages } = test.store;
    for (const id of [1.5, NaN, "1" as unknown as number]) {
      expect(() => messages.rewindTo("s1", id)).toThrow(TypeError);
      expect(() => messages.restoreFrom("s1", id)).toThrow(TypeError);
    }
  });
});

describe("COR-27 replace", () => {
  const only: readonly NewMessage[] = [{ role: "assistant", content: "only", toolCalls: [{ id: "a" }, { id: "b" }] }];

  function withStates(): TestStore {
    const test = sixTurns();
    sql(test.store, "UPDATE messages SET active = 0, compacted = 1 WHERE id = 1");
    sql(test.store, "UPDATE messages SET active = 0 WHERE id = 2");
    return test;
  }

  const MODES: readonly [ReplaceMode, readonly string[], number][] = [
    ["all", ["only live"], 6],
    ["active-only", ["u1 compacted", "a1 hidden", "only live"], 4],
    ["archive-dropped", ["u1 compacted", "a1 hidden", "u2 hidden", "a2 hidden", "u3 hidden", "a3 hidden", "only live"], 4],
  ];

  it.each(MODES)("COR-27 T7 %s", (mode, expected, removed) => {
    using test = withStates();
    const replaced = test.store.messages.replace("s1", only, mode);
    expect([replaced.removedCount, replaced.receipts.map((receipt) => receipt.id)]).toEqual([removed, [7]]);
    expect(states(test.store)).toEqual(expected);
    expect(test.store.sessions.get("s1")).toMatchObject({ messageCount: 1, toolCallCount: 2 });
    checkIndexes(test.store);
    expect(test.store.messages.saveTranscript("s1", replaced.messages).appended).toEqual([]);
  });

  it("COR-27 with the loaded list itself, edited: the list goes on as the new rows", () => {
    using test = sixTurns();
    const { messages } = test.store;
    const list: NewMessage[] = [...messages.conversation("s1").messages];
    list[2] = { ...list[2]!, content: "u2 edited" };
    messages.replace("s1", list, "archive-dropped");
    expect(live(test.store)).toEqual(["u1", "a1", "u2 edited", "a2", "u3", "a3"]);
    list.push({ role: "user", content: "u4" });
    expect(messages.saveTranscript("s1", list).appended).toHaveLength(1);
    expect(states(test.store)).toHaveLength(13);
  });

  it("COR-27 with many rows, indexed at once; search finds the new and not the deleted", () => {
    using test = sixTurns();
    const { messages } = test.store;
    const many = Array.from({ length: 50 }, (_, n) => ({ role: "user", content: `replacement ${String(n)}` }));
    messages.replace("s1", many, "all");
    checkIndexes(test.store);
    const found = (word: string): number => {
      const match = "SELECT COUNT(*) AS n FROM messages_fts WHERE messages_fts MATCH ?";
      return test.store.read((r) => r.get<{ n: number }>(match, [word])!.n);
    };
    expect([found("replacement"), found("u1")]).toEqual([50, 0]);
  });

  it("COR-27 stores a platform's message again, and the live row is the one it names", () => {
    using test = sixTurns();
    const { messages } = test.store;
    const inbound = { role: "user", content: "in", platformMessageId: "p" };
    messages.append("s1", inbound);
    messages.replace("s1", [...messages.conversation("s1").messages], "archive-dropped");
    expect(live(test.store)).toHaveLength(7);
    expect(messages.append("s1", inbound)).toMatchObject({ id: 14, existing: true });
  });

  it("COR-27 refuses a mode by name, and a bad message before anything is touched", () => {
    using test = sixTurns();
    const { messages } = test.store;
    for (const mode of ["default", undefined]) {
      expect(() => messages.replace("s1", [], mode as "all")).toThrow(TypeError);
    }
    expect(() => messages.replace("s1", [{ role: "" }], "all")).toThrow(TypeError);
    expect(states(test.store)).toHaveLength(6);
  });

  it("COR-27 clear deletes every row of the session, of no other, and zeroes the counters", () => {
    using test = withStates();
    const { messages, sessions } = test.store;
    sessions.create({ id: "other", source: "cli" });
    messages.append("other", { role: "user", content: "stays" });
    expect(messages.clear("s1")).toBe(6);
    expect(messages.clear("s1")).toBe(0);
    expect(sessions.get("s1")).toMatchObject({ messageCount: 0, toolCallCount: 0 });
    expect(live(test.store, "other")).toEqual(["stays"]);
    checkIndexes(test.store);
  });
});

describe("COR-28 the history to show", () => {
  const shown = (store: StateStore, order: "oldest" | "newest" = "oldest", limit = 100): MessageRow[] => {
    const rows: MessageRow[] = [];
    for (let cursor: string | undefined; ; ) {
      const from = cursor === undefined ? {} : { cursor };
      const page = store.messages.page("s1", { include: "visible", order, limit, ...from });
      rows.push(...page.messages);
      cursor = page.nextCursor;
      if (cursor === undefined) return rows;
    }
  };

  it("COR-28 across compactions, each message once, where it stood first, the live row for it", () => {
    using test = sixTurns();
    const { messages, compaction } = test.store;
    for (let cycle = 0; cycle < 3; cycle++) {
      const loaded = messages.conversation("s1").messages;
      test.clock.advance(1000);
      const summary = { role: "user", content: `summary ${String(cycle)}` };
      compaction.archive("s1", [summary, ...loaded.slice(-2)], { watermark: compaction.watermark("s1"), tailCount: 2 });
    }
    const rows = shown(test.store);
    const kept = ["u1", "a1", "u2", "a2", "summary 0", "summary 1", "summary 2", "u3", "a3"];
    expect(rows.map((row) => row.content)).toEqual(kept);
    expect(rows.filter((row) => row.active).map((row) => row.content)).toEqual(["summary 2", "u3", "a3"]);
    expect(messages.count("s1", "visible")).toBe(kept.length);
  });

  it("COR-28 an old file whose compactions left every copy compacted shows the newest of them, in its first place", () => {
    using test = sixTurns();
    sql(test.store, "UPDATE messages SET active = 0, compacted = 1");
    const list = test.store.messages.page("s1", { include: "all" }).messages;
    for (const row of list.slice(2, 4)) {
      const { role, content = null, timestampSeconds = 0, toolCalls = null } = row;
      const copy = { role, content, timestampSeconds, toolCalls, active: false, compacted: true };
      test.store.messages.append("s1", copy);
    }
    expect(shown(test.store).map((row) => row.id)).toEqual([1, 2, 7, 8, 5, 6]);
  });

  const calling = (id: string): NewMessage["toolCalls"] => [{ id, function: { name: "f", arguments: "{}" } }];
  const CALL = {
    role: "assistant",
    content: "working",
    timestampSeconds: 9,
    toolCallId: "t",
    toolName: "n",
    toolCalls: calling("c1")!,
  };

  it.each<[string, Partial<NewMessage>]>([
    ["tool calls", { toolCalls: calling("c2")! }],
    ["no tool calls", { toolCalls: null }],
    ["tool call id", { toolCallId: "u" }],
    ["no tool call id", { toolCallId: null }],
    ["tool name", { toolName: "m" }],
    ["role", { role: "tool" }],
    ["content", { content: "working " }],
    ["no content", { content: null }],
    ["moment", { timestampSeconds: 9.5 }],
  ])("COR-28 rows that differ in their %s are two messages", (_title, change) => {
    using test = openTestStore();
    test.store.sessions.create({ id: "s1", source: "cli" });
    test.store.messages.append("s1", { ...CALL, active: false, compacted: true });
    test.store.messages.append("s1", { ...CALL, ...change });
    test.store.messages.append("s1", { ...CALL, finishReason: "stop", apiContent: "x", reasoning: "y" });
    expect(shown(test.store).map((row) => row.id)).toEqual([3, 2]);
    expect(shown(test.store, "newest", 1).map((row) => row.id)).toEqual([2, 3]);
  });

  it("COR-28 the live row stands for its message, also where a compacted copy is newer", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    messages.append("s1", { ...CALL, active: false, compacted: true });
    messages.append("s1", CALL);
    messages.append("s1", { ...CALL, active: false, compacted: true });
    expect(shown(test.store).map((row) => row.id)).toEqual([2]);
  });

  it("COR-28 rewound rows are neither shown nor stand for a message", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    messages.append("s1", { ...CALL, active: false });
    messages.append("s1", { ...CALL, active: false, compacted: true });
    messages.append("s1", { ...CALL, active: false });
    expect(shown(test.store).map((row) => row.id)).toEqual([2]);
  });

  it("COR-28 pages of any size, in either direction, have the rows that one long page has", () => {
    using test = sixTurns();
    const { messages, compaction } = test.store;
    for (let cycle = 0; cycle < 4; cycle++) {
      const loaded = messages.conversation("s1").messages;
      test.clock.advance(500);
      const summary = { role: "user", content: `sum ${String(cycle)}` };
      compaction.archive("s1", [summary, ...loaded.slice(-3)], { watermark: null, tailCount: 3 });
      messages.append("s1", { role: "user", content: `more ${String(cycle)}` });
    }
    const whole = shown(test.store).map((row) => row.id);
    for (const limit of [1, 2, 3, 7]) {
      expect(shown(test.store, "oldest", limit).map((row) => row.id)).toEqual(whole);
      expect(shown(test.store, "newest", limit).map((row) => row.id)).toEqual(whole.toReversed());
    }
    const iterated = [...messages.iterate("s1", { include: "visible", order: "newest" })].map((row) => row.id);
    expect(iterated).toEqual(whole.toReversed());
  });

  it("COR-28 20,000 messages of one moment are paged, counted and restored in bounded work", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    for (let n = 0; n < 10; n++) {
      const batch = Array.from({ length: 2000 }, (_, k) => ({ role: "user", content: `m${String(n)} ${String(k % 1999)}`, timestampSeconds: 7 }));
      messages.appendBatch("s1", batch);
    }
    expect(messages.count("s1", "visible")).toBe(19_990);
    expect(messages.page("s1", { include: "visible", order: "newest", limit: 3 }).messages.map((row) => row.id)).toEqual([
      19_999, 19_998, 19_997,
    ]);
    messages.rewindTo("s1", 2);
    expect(messages.restoreFrom("s1", 2).restoredCount).toBe(19_999);
  }, 60_000);
});

describePython("COR-28 GND-02 beside a real Python process", () => {
  it("COR-27 COR-28 rows that Python compacted and rewound read as the same history, and Python sees ours", () => {
    using test = sixTurns();
    runPython(
      `
db = sqlite3.connect(args)
db.execute("BEGIN IMMEDIATE")
db.execute("UPDATE messages SET active = 0, compacted = 1 WHERE id <= 4")
db.execute("INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('s1', 'user', 'py summary', 99.5, 1)")
db.execute("""INSERT INTO messages (session_id, role, content, timestamp, tool_calls, active)
  SELECT session_id, role, content, timestamp, tool_calls, 1 FROM messages WHERE id IN (5, 6) ORDER BY id""")
db.execute("UPDATE messages SET active = 0, compacted = 0 WHERE id IN (5, 6)")
db.commit()
answer(1)`,
      test.path,
    );
    const { messages } = test.store;
    const visible = messages.page("s1", { include: "visible" }).messages;
    expect(visible.map((row) => row.content)).toEqual(["u1", "a1", "u2", "a2", "py summary", "u3", "a3"]);
    messages.rewindTo("s1", 8);
    expect(messages.restoreFrom("s1", 0).restoredCount).toBe(2);
    expect(live(test.store)).toEqual(["py summary", "u3", "a3"]);
    const python = runPython<unknown>(
      `
db = sqlite3.connect(args)
answer([db.execute(sql).fetchone() for sql in (
  "SELECT message_count, tool_call_count, rewind_count FROM sessions",
  "SELECT group_concat(id) FROM messages WHERE active = 1")])`,
      test.path,
    );
    expect(python).toEqual([[3, 1, 1], ["7,8,9"]]);
  });
});

it("COR-28 a read-only handle pages the same history", () => {
  using test = sixTurns();
  sql(test.store, "UPDATE messages SET active = 0, compacted = 1 WHERE id < 5");
  using reader = openStateStore({ path: test.path, mode: "read" });
  const ids = (store: StateStore): number[] =>
    store.messages.page("s1", { include: "visible" }).messages.map((row) => row.id);
  expect(ids(reader)).toEqual(ids(test.store));
});
