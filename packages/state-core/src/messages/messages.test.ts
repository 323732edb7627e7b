import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import type { TestStore } from "../../test/support/open-test-store.js";
import { openStateStore } from "../index.js";
import type { MessagePageOptions } from "./message-page.js";
import { selectPageSql, selectTranscriptSql } from "./message-queries.js";
import type { NewMessage } from "./new-message.js";

function withSession(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  return test;
}

const FULL = {
  role: "assistant",
  content: [{ type: "text", text: "大" }],
  toolCallId: "c0",
  toolCalls: [{ id: "c1", function: { name: "x", arguments: "{}" } }],
  toolName: "x",
  effectDisposition: "committed",
  timestampSeconds: 12.25,
  tokenCount: 7,
  finishReason: "stop",
  reasoning: "r",
  reasoningContent: "",
  reasoningDetails: [{ a: 1 }],
  codexReasoningItems: [{ b: 2 }],
  codexMessageItems: [{ c: 3 }],
  platformMessageId: "m1",
  observed: true,
  compressedSummary: true,
  apiContent: " wire ",
  displayKind: "steer",
  displayMetadata: { d: 4 },
  messageUid: "u",
  absorbedMessageUids: ["v"],
  toolCallUids: ["w"],
  toolCallUid: "x",
} satisfies NewMessage;

describe("append", () => {
  it("COR-21 stores every field and gives it back; the display columns stay to the triggers", () => {
    using test = withSession();
    const receipt = test.store.messages.append("s1", FULL);
    expect(receipt).toEqual({ id: 1, sessionId: "s1", timestampSeconds: 12.25, existing: false });
    const expected = { ...FULL, id: 1, sessionId: "s1", active: true, compacted: false, damaged: [] };
    expect(test.store.messages.get(1)).toEqual(expected);
    const row = test.store.read((r) => r.get("SELECT display_identity, display_order, typeof(token_count) AS t FROM messages"));
    expect(row).toEqual({ display_identity: null, display_order: 1, t: "integer" });
  });

  it("COR-21 counts messages and tool calls in the same transaction", () => {
    using test = withSession();
    const { sessions, messages } = test.store;
    messages.append("s1", { role: "user", content: "x" });
    messages.append("s1", { role: "assistant", toolCalls: [{ id: "a" }, { id: "b" }] });
    messages.append("s1", { role: "assistant", toolCalls: '[{"id": "c"}]' });
    messages.append("s1", { role: "assistant", toolCalls: [{ id: "d" }], active: false, compacted: true });
    expect(sessions.get("s1")).toMatchObject({ messageCount: 3, toolCallCount: 3 });
    sql(test.store, "UPDATE sessions SET message_count = NULL, tool_call_count = NULL");
    messages.append("s1", { role: "user", content: "x" });
    expect(sessions.get("s1")).toMatchObject({ messageCount: 1, toolCallCount: 0 });
  });

  it("COR-22 gives messages without a moment strictly rising ones, in a batch too", () => {
    using test = withSession();
    const now = test.clock.now();
    const batch = [{ role: "user" }, { role: "assistant", timestampSeconds: 5 }, { role: "user" }];
    const stamps = test.store.messages.appendBatch("s1", batch).map((receipt) => receipt.timestampSeconds);
    expect(stamps).toEqual([now, 5, now + 1e-6]);
  });

  it.each<[unknown]>([
    [{}],
    [null],
    [{ role: "" }],
    [{ role: 5 }],
    [{ role: "user", contents: "x" }],
    [{ role: "user", toolName: 5 }],
    [{ role: "user", tokenCount: 1.5 }],
    [{ role: "user", observed: 1 }],
    [{ role: "user", displayMetadata: [1] }],
  ])("COR-21 refuses misuse, alone and in a batch, and stores nothing: %j", (message) => {
    using test = withSession();
    const { messages, sessions } = test.store;
    const good = { role: "user", content: "good" };
    expect(() => messages.append("s1", message as NewMessage)).toThrow(TypeError);
    expect(() => messages.appendBatch("s1", [good, message as NewMessage])).toThrow(TypeError);
    expect(messages.count("s1")).toBe(0);
    expect(sessions.get("s1").messageCount).toBe(0);
  });

  it("P28 COR-21 refuses absurd moments by code", () => {
    using test = withSession();
    for (const timestampSeconds of [5.49e246, Number.NaN, -1, 1_760_000_000_000]) {
      const error = stateErrorOf(() => test.store.messages.append("s1", { role: "user", timestampSeconds }));
      expect(error.code).toBe("STATE_E_BAD_TIMESTAMP");
      expect(error.facts["value"]).toBe(timestampSeconds);
    }
    expect(test.store.messages.count("s1")).toBe(0);
  });

  it("COR-21 names an unknown session", () => {
    using test = withSession();
    const { messages } = test.store;
    const message = { role: "user", content: "x" };
    const calls = [
      () => messages.append("nope", message),
      () => messages.append("nope", { ...message, platformMessageId: "m" }),
      () => messages.appendBatch("nope", [message, message]),
      () => messages.page("nope"),
      () => messages.count("nope"),
      () => messages.conversation("nope"),
    ];
    for (const call of calls) {
      const error = stateErrorOf(call);
      expect([error.code, error.facts["sessionId"]]).toEqual(["STATE_E_SESSION_NOT_FOUND", "nope"]);
    }
    expect(stateErrorOf(() => messages.get(99)).code).toBe("STATE_E_MESSAGE_NOT_FOUND");
    expect(messages.find(99)).toBeUndefined();
  });
});

describe("platform ids", () => {
  const hi = { role: "user", content: "hi" };

  it("P14 COR-21 are stored once: the second call names the first row, before and after a reopen, and across handles", () => {
    using test = withSession();
    const { messages, sessions } = test.store;
    const first = messages.append("s1", { ...hi, platformMessageId: "m1", timestampSeconds: 10 });
    using other = openStateStore({ path: test.path });
    const second = other.messages.append("s1", { ...hi, platformMessageId: "m1", timestampSeconds: 20 });
    expect(second).toEqual({ ...first, existing: true });
    messages.append("s1", { ...hi, platformMessageId: "m2" });
    messages.append("s1", hi);
    messages.append("s1", hi);
    expect(messages.count("s1")).toBe(4);
    expect(sessions.get("s1").messageCount).toBe(4);
  });

  it("P14 COR-21 repeat within a batch and against the store without a second row", () => {
    using test = withSession();
    const { messages } = test.store;
    const { id } = messages.append("s1", { ...hi, platformMessageId: "m1" });
    const batch = ["m1", "m2", "m2", undefined].map((platformMessageId) => ({ ...hi, ...(platformMessageId && { platformMessageId }) }));
    const receipts = messages.appendBatch("s1", batch);
    expect(receipts.map((receipt) => receipt.existing)).toEqual([true, false, true, false]);
    expect(receipts.map((receipt) => receipt.id)).toEqual([id, id + 1, id + 1, id + 2]);
    expect(test.store.sessions.get("s1").messageCount).toBe(3);
  });

  it("P14 COR-21 of a closed session still name the row that is there; the live copy of a compacted row comes first", () => {
    using test = withSession();
    const { sessions, messages } = test.store;
    const { id } = messages.append("s1", { ...hi, platformMessageId: "m1" });
    sql(test.store, "UPDATE messages SET active = 0, compacted = 1");
    expect(messages.append("s1", { ...hi, platformMessageId: "m1" })).toMatchObject({ id, existing: true });
    sql(test.store, "INSERT INTO messages (session_id, role, content, timestamp, active, platform_message_id) VALUES ('s1', 'user', 'hi', 1, 1, 'm1')");
    sessions.end("s1", "compression");
    sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    expect(messages.append("s1", { ...hi, platformMessageId: "m1" })).toMatchObject({ id: id + 1, existing: true });
  });

  it("COR-21 the check follows its index", () => {
    using test = withSession();
    const plan = test.store.read((r) =>
      r.all<{ detail: string }>(
        "EXPLAIN QUERY PLAN SELECT id, timestamp FROM messages WHERE session_id = ? AND platform_message_id = ? ORDER BY COALESCE(active, 1) DESC, id LIMIT 1",
        ["s1", "m1"],
      ),
    );
    expect(plan[0]?.detail).toContain("idx_messages_platform_msg_id");
  });
});

describe("sessions that compression closed", () => {
  it("P16 COR-21 COR-26 refuse with the id of the tip, over two hops, and store nothing", () => {
    using test = withSession();
    const { sessions, messages } = test.store;
    messages.append("s1", { role: "user", content: "x" });
    sessions.end("s1", "compression");
    sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    sessions.end("s2", "compression");
    sessions.create({ id: "s3", source: "cli", parentSessionId: "s2" });
    for (const id of ["s1", "s2"]) {
      const error = stateErrorOf(() => messages.append(id, { role: "user", content: "late" }));
      expect([error.code, error.facts]).toEqual([
        "STATE_E_COMPRESSION_CLOSED",
        { sessionId: id, tipId: "s3", bucket: "compression_closed" },
      ]);
      expect(error.message).not.toMatch(/disk/);
    }
    expect(messages.count("s1")).toBe(1);
    expect(messages.append("s3", { role: "user", content: "on" }).existing).toBe(false);
  });

  it("COR-21 other ends are no obstacle", () => {
    using test = withSession();
    test.store.sessions.end("s1", "user_exit");
    test.store.messages.append("s1", { role: "user", content: "x" });
    expect(test.store.sessions.get("s1")).toMatchObject({ endReason: "user_exit", messageCount: 1 });
  });

  it("P15 COR-26 without a continuation reopen and take the message", () => {
    using test = withSession();
    const { sessions, messages, lineage } = test.store;
    sessions.end("s1", "compression");
    const { id } = messages.append("s1", { role: "user", content: "next turn" });
    expect(messages.get(id).content).toBe("next turn");
    expect(sessions.get("s1")).toMatchObject({ endReason: null, endedAtSeconds: null, messageCount: 1 });
    expect(lineage.tip("s1")).toBe("s1");
    expect(sessions.list().sessions.map((row) => row.id)).toEqual(["s1"]);
  });

  it("P15 COR-26 stay closed while a compaction holds them; an expired claim goes with the reopening", () => {
    using test = withSession();
    const { sessions, messages } = test.store;
    sessions.end("s1", "compression");
    const now = test.clock.now();
    sql(test.store, "INSERT INTO compression_locks VALUES ('s1', 'pid=1:nonce=a', ?, ?)", now - 10, now + 290);
    const error = stateErrorOf(() => messages.append("s1", { role: "user", content: "x" }));
    expect([error.code, error.facts["tipId"]]).toEqual(["STATE_E_COMPRESSION_CLOSED", undefined]);
    test.clock.advance(300_000);
    messages.append("s1", { role: "user", content: "x" });
    expect(test.store.read((r) => r.all("SELECT holder FROM compression_locks"))).toEqual([]);
    expect(sessions.get("s1").endReason).toBeNull();
  });

  it("COR-21 an append to a live session does not look at locks", () => {
    using test = withSession();
    sql(test.store, "INSERT INTO compression_locks VALUES ('s1', 'someone', 0, 9e9)");
    expect(test.store.messages.append("s1", { role: "user", content: "x" }).existing).toBe(false);
  });
});

describe("pages", () => {
  it("COR-22 scopes: what the model sees, with what was compacted, with what was rewound", () => {
    using test = withSession();
    const { messages } = test.store;
    for (const content of ["compacted", "rewound", "live", "old null"]) messages.append("s1", { role: "user", content });
    sql(test.store, "UPDATE messages SET active = 0, compacted = 1 WHERE content = 'compacted'");
    sql(test.store, "UPDATE messages SET active = 0 WHERE content = 'rewound'");
    const contents = (options: MessagePageOptions): unknown[] => messages.page("s1", options).messages.map((row) => row.content);
    expect(contents({})).toEqual(["live", "old null"]);
    expect(contents({ include: "visible" })).toEqual(["compacted", "live", "old null"]);
    expect(contents({ include: "all", order: "newest" })).toEqual(["old null", "live", "rewound", "compacted"]);
    expect((["active", "visible", "all"] as const).map((scope) => messages.count("s1", scope))).toEqual([2, 3, 4]);
  });

  it("COR-22 refuses misuse by name, a foreign cursor by code", () => {
    using test = withSession();
    const { messages } = test.store;
    for (const options of [{ ordr: 1 }, { order: "up" }, { include: "none" }]) {
      expect(() => messages.page("s1", options as MessagePageOptions)).toThrow(TypeError);
    }
    for (const limit of [0, 1.5, 20_000]) expect(() => messages.page("s1", { limit })).toThrow(RangeError);
    for (const cursor of ["x", "", "-1", "1e3", "99999999999999999"]) {
      expect(stateErrorOf(() => messages.page("s1", { cursor })).code).toBe("STATE_E_BAD_CURSOR");
    }
    expect(() => messages.count("s1", "none" as "all")).toThrow(TypeError);
    expect(() => messages.conversation("s1", { includeRowId: true } as object)).toThrow(TypeError);
  });

  it("COR-22 reads along (session, id), without a sort, in every scope", () => {
    using test = withSession();
    for (const scope of ["active", "all"] as const) {
      const statements: [string, (string | number)[]][] = [
        [selectTranscriptSql(scope, "one"), ["s1"]],
        [selectPageSql(scope, "oldest"), ["s1", 0, 9]],
        [selectPageSql(scope, "newest"), ["s1", 9, 9]],
      ];
      for (const [statement, params] of statements) {
        const explain = `EXPLAIN QUERY PLAN ${statement}`;
        const plan = test.store.read((r) => r.all<{ detail: string }>(explain, params));
        expect(plan.map((row) => row.detail)).toEqual([expect.stringContaining("INDEX idx_messages_session_id (")]);
      }
    }
  });
});
