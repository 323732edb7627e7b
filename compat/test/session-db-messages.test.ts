import type { MessageRow, TranscriptMessage } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { SessionResumeTooLargeError } from "../src/hermes-state/index.js";
import type { SessionDB } from "../src/session-db/index.js";
import { codeOf, openSessionDb } from "./support/open-session-db.js";
import type { TestDb } from "./support/open-session-db.js";

function withSession(rows: "camel" | "peer" = "camel"): TestDb {
  const test = openSessionDb({ rows });
  test.db.createSession("s", "cli");
  return test;
}

const said = (rows: readonly { readonly content?: unknown }[]): unknown[] => rows.map((row) => row.content);

/** Any row as the plain record that a plugin of the old program sees. */
const plain = (row: unknown): Record<string, unknown> => row as Record<string, unknown>;

function conversation(db: SessionDB): number[] {
  const roles = ["user", "assistant", "user", "assistant"];
  return roles.map((role, at) => db.appendMessage("s", role, `${role} ${at}`));
}

describe("appending to the one-object store", () => {
  it("CPT-01 takes the arguments in the old order, by name, or both", () => {
    using test = withSession();
    const { db } = test;
    const calls = [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }];
    const ids = [
      db.appendMessage("s", "assistant", "", "ls", calls, "c1", 7, "tool_calls", "because"),
      db.appendMessage("s", "assistant", "", { toolName: "ls", toolCalls: calls, toolCallId: "c1", tokenCount: 7 }),
      db.appendMessage("s", "assistant", { content: "", toolName: "ls", toolCalls: calls, timestamp: 5 }),
      db.appendMessage("s", { role: "assistant", content: "", toolName: "ls", toolCalls: calls }),
    ];
    const rows = db.getMessages("s");
    expect(rows.map((row) => row.id)).toEqual(ids);
    for (const row of rows) expect(row).toMatchObject({ role: "assistant", toolName: "ls", toolCalls: calls });
    expect(rows[0]).toMatchObject({
      finishReason: "tool_calls",
      reasoning: "because",
      tokenCount: 7,
      toolCallId: "c1",
    });
    expect(rows[1]).toMatchObject({ tokenCount: 7, toolCallId: "c1" });
    expect(rows[2]?.timestampSeconds).toBe(5);
    expect(db.getSession("s")).toMatchObject({ messageCount: 4, toolCallCount: 4 });
  });

  it("CPT-01 passes over what is null, and takes a date for a moment", () => {
    using test = withSession();
    const moment = new Date("2026-11-30T12:00:00Z");
    test.db.appendMessage("s", "user", null, null, null, null, null, null, null, null);
    test.db.appendMessage("s", "user", "x", { timestamp: moment, compressionLockHolder: "pid=1" });
    const [first, second] = test.db.getMessages("s");
    expect(first).toMatchObject({ content: null, toolName: null, toolCalls: null, timestampSeconds: test.clock.now() });
    expect(second?.timestampSeconds).toBe(moment.getTime() / 1000);
  });

  it("CPT-01 stores a platform's message once, and a batch wholly or not at all", () => {
    using test = withSession();
    const { db } = test;
    const id = db.appendMessage("s", "user", "hi", { platformMessageId: "m1" });
    expect(db.appendMessage("s", "user", "hi", { platformMessageId: "m1" })).toBe(id);
    const batch = [
      { role: "user", content: "hi", message_id: "m1" },
      { role: "user", content: "ho", message_id: "m2" },
    ];
    expect(db.appendMessagesBatch("s", batch)).toBe(1);
    expect(db.hasPlatformMessageId("s", "m2")).toBe(true);
    expect(db.hasPlatformMessageId("s", "m3")).toBe(false);
    expect(() => db.appendMessagesBatch("s", [{ role: "user", content: "a" }, { role: "" }])).toThrow(TypeError);
    expect(said(db.getMessages("s"))).toEqual(["hi", "ho"]);
    expect(db.appendMessagesBatch("s", [])).toBe(0);
  });

  it("CPT-01 splits a large batch without changing its order in time", () => {
    using test = withSession();
    const batch = Array.from({ length: 25 }, (_, at) => ({ role: "user", content: `m${at}` }));
    expect(test.db.appendMessagesBatch("s", batch, null, 10)).toBe(25);
    const rows = test.db.getMessages("s");
    expect(said(rows)).toEqual(batch.map((message) => message.content));
    const times = rows.map((row) => row.timestampSeconds ?? NaN);
    expect(times.every((time, at) => at === 0 || time > times[at - 1]!)).toBe(true);
    expect(test.db.appendMessagesBatch("s", batch, { chunkRows: 3 })).toBe(25);
    expect(() => test.db.appendMessagesBatch("s", batch, { chunkRows: -1 })).toThrow(RangeError);
    expect(() => test.db.appendMessagesBatch("s", batch, { chunkRows: 1.5 })).toThrow(RangeError);
  });

  it("CPT-03 takes a message as the file spells it, and as the old program handed it around", () => {
    using test = withSession();
    const { db } = test;
    const calls = [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }];
    db.appendMessagesBatch("s", [
      {
        role: "assistant",
        content: "",
        tool_calls: calls,
        finish_reason: "tool_calls",
        timestamp: 12,
        _db_persisted: true,
      },
      { role: "tool", content: "a b", tool_call_id: "c1", name: "ls", observed: 1, _row_id: 99 },
      { role: "user", content: [{ type: "text", text: "parts" }], display_metadata: { a: 1 }, name: "ann" },
    ]);
    const [call, result, user] = db.getMessages("s");
    expect(call).toMatchObject({ toolCalls: calls, finishReason: "tool_calls", timestampSeconds: 12 });
    expect(result).toMatchObject({ toolCallId: "c1", toolName: "ls", observed: true });
    expect(user).toMatchObject({
      content: [{ type: "text", text: "parts" }],
      displayMetadata: { a: 1 },
      toolName: null,
    });
  });

  it("CPT-01 refuses what it cannot store with a type, and stores nothing", () => {
    using test = withSession();
    const { db } = test;
    expect(codeOf(() => db.appendMessage("no", "user", "x"))).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(codeOf(() => db.appendMessagesBatch("no", [{ role: "user" }]))).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(codeOf(() => db.appendMessage("s", "user", "x", { timestamp: -5 }))).toBe("STATE_E_BAD_TIMESTAMP");
    expect(() => db.appendMessage("s", "user", "x", { tolCalls: [] } as never)).toThrow(TypeError);
    expect(() => db.appendMessage("s", "user", "x", { timestamp: 1 } as never, "x" as never)).toThrow(TypeError);
    expect(() => db.appendMessage("s", 5 as never, "x")).toThrow(TypeError);
    expect(() => db.appendMessage(5 as never, "user", "x")).toThrow(TypeError);
    expect(() => db.appendMessagesBatch("s", "x" as never)).toThrow(TypeError);
    expect(() => db.appendMessagesBatch("s", [null as never])).toThrow(TypeError);
    expect(() => db.appendMessagesBatch("s", [{ role: "user", tool_cals: [] }])).toThrow(TypeError);
    expect(db.messageCount("s")).toBe(0);
    db.endSession("s", "compression");
    db.createSession("t", "cli", { parentSessionId: "s" });
    expect(codeOf(() => db.appendMessage("s", "user", "x"))).toBe("STATE_E_COMPRESSION_CLOSED");
  });
});

describe("rewriting in the one-object store", () => {
  it("CPT-01 replaces everything, what is live, or hides what was live", () => {
    using test = withSession();
    const { db } = test;
    conversation(db);
    expect(db.hasArchivedMessages("s")).toBe(false);
    db.archiveAndCompact("s", [{ role: "user", content: "summary" }]);
    db.replaceMessages("s", [{ role: "user", content: "new" }], { archiveDropped: true });
    expect(said(db.getMessages("s"))).toEqual(["new"]);
    expect(db.messageCount("s")).toBe(6);
    db.replaceMessages("s", [{ role: "user", content: "newer" }], true);
    expect(said(db.getMessages("s"))).toEqual(["newer"]);
    expect(db.messageCount("s")).toBe(6);
    expect(db.hasArchivedMessages("s")).toBe(true);
    db.replaceMessages("s", [{ role: "user", content: "newest" }]);
    expect(db.messageCount("s")).toBe(1);
    expect(db.getSession("s")?.messageCount).toBe(1);
    expect(db.hasArchivedMessages("s")).toBe(false);
    expect(codeOf(() => db.replaceMessages("no", [{ role: "user" }]))).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(() => db.replaceMessages("s", [], { activOnly: true } as never)).toThrow(TypeError);
  });

  it.each(["camel", "peer"] as const)("CPT-10 puts rows it gave out, spelled %s, back as they were", (rows) => {
    using test = withSession(rows);
    const { db } = test;
    db.appendMessage("s", "assistant", "a", { toolCalls: [{ id: "1" }], reasoning: "r", timestamp: 7 });
    db.appendMessage("s", "tool", "b", { toolCallId: "1", displayKind: "quiet", observed: true });
    const before = db.getMessages("s");
    db.replaceMessages("s", before);
    const keep = (row: MessageRow): object => ({ ...row, id: 0 });
    expect(db.getMessages("s").map(keep)).toEqual(before.map(keep));
  });

  it("CPT-01 compacts in place, and merges into the config", () => {
    using test = withSession();
    const { db } = test;
    conversation(db);
    const count = db.archiveAndCompact("s", [{ role: "user", content: "summary" }], { _compacted: 1 });
    expect(count).toBe(1);
    expect(said(db.getMessages("s"))).toEqual(["summary"]);
    expect(db.getMessages("s", true).filter((row) => row.compacted)).toHaveLength(4);
    expect(db.getSessionModelConfigValue("s", "_compacted")).toBe(1);
    expect(codeOf(() => db.archiveAndCompact("no", [{ role: "user" }]))).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(() => db.archiveAndCompact("s", [])).toThrow(TypeError);
  });

  it.each(["camel", "peer"] as const)("CPT-01 rewinds to a user message and back, spelled %s", (rows) => {
    using test = withSession(rows);
    const { db } = test;
    const ids = conversation(db);
    const receipt = plain(db.rewindToMessage("s", ids[2]!));
    const [count, target, head] =
      rows === "peer"
        ? ["rewound_count", "target_message", "new_head_id"]
        : ["rewoundCount", "targetMessage", "newHeadId"];
    expect(receipt).toMatchObject({ [count]: 2, [head]: ids[1] });
    expect(plain(receipt[target])[rows === "peer" ? "session_id" : "sessionId"]).toBe("s");
    expect(plain(db.rewindToMessage("s", ids[2]!))[count]).toBe(0);
    expect(said(db.getMessages("s"))).toEqual(["user 0", "assistant 1"]);
    expect(db.getSession("s")).toMatchObject({ [rows === "peer" ? "rewind_count" : "rewindCount"]: 2 });
    expect(db.restoreRewound("s", ids[2]!)).toBe(2);
    expect(db.restoreRewound("no", 1)).toBe(0);
    expect(db.messageCount("s")).toBe(4);
    for (const id of [ids[1]!, 999]) {
      expect(codeOf(() => db.rewindToMessage("s", id))).toBe("STATE_E_REWIND_TARGET");
    }
  });

  it("CPT-01 clears a session and its counters; an unknown one is no error", () => {
    using test = withSession();
    conversation(test.db);
    test.db.clearMessages("s");
    test.db.clearMessages("no");
    expect(test.db.getMessages("s", { includeInactive: true })).toEqual([]);
    expect(test.db.getSession("s")).toMatchObject({ messageCount: 0, toolCallCount: 0 });
  });

  it("CPT-01 marks the newest message that says just this", () => {
    using test = withSession();
    const { db } = test;
    const parts = [{ type: "text", text: "same" }];
    const ids = ["same", "same", parts].map((content) => db.appendMessage("s", "user", content));
    const mark = { role: "user", content: "same", displayKind: "steer" };
    expect(db.setLatestMatchingMessageDisplayKind("s", { ...mark, displayMetadata: { by: "ann" } })).toBe(true);
    expect(db.setLatestMatchingMessageDisplayKind("s", { ...mark, content: parts })).toBe(true);
    expect(db.setLatestMatchingMessageDisplayKind("s", { ...mark, role: "assistant" })).toBe(false);
    expect(db.setLatestMatchingMessageDisplayKind("no", mark)).toBe(false);
    expect(db.setLatestUserApiContent("s", "same", "<ctx/>same")).toBe(true);
    expect(db.setLatestUserApiContent("s", "other", "x")).toBe(false);
    expect(db.getMessages("s")).toMatchObject([
      { id: ids[0], displayKind: null, apiContent: null },
      { id: ids[1], displayKind: "steer", displayMetadata: { by: "ann" }, apiContent: "<ctx/>same" },
      { id: ids[2], displayKind: "steer", displayMetadata: null, apiContent: null },
    ]);
    expect(() => db.setLatestUserApiContent("s", "same", 5 as never)).toThrow(TypeError);
    expect(() => db.setLatestMatchingMessageDisplayKind("s", { ...mark, kind: "x" } as never)).toThrow(TypeError);
  });
});

describe("reactions in the one-object store", () => {
  it.each(["camel", "peer"] as const)(
    "CPT-01 one for each author; each is taken notice of once, spelled %s",
    (rows) => {
      using test = withSession(rows);
      const { db } = test;
      const id = db.appendMessage("s", "assistant", "done");
      expect(db.setMessageReaction("s", id, "+1")).toMatchObject([{ emoji: "+1", author: "user" }]);
      expect(db.setMessageReaction("s", id, "heart", { author: "bot" })).toHaveLength(2);
      expect(db.getMessageReactions("s", id).map(({ emoji }) => emoji)).toEqual(["+1", "heart"]);
      const key = rows === "peer" ? "row_id" : "rowId";
      expect(db.takeUnseenReactions("s")).toEqual([{ [key]: id, role: "assistant", emoji: "+1", text: "done" }]);
      expect(db.takeUnseenReactions("s")).toEqual([]);
      expect(db.takeUnseenReactions("s", { author: "bot" })).toHaveLength(1);
      expect(db.setMessageReaction("s", id, "+1")).toHaveLength(1);
      expect(db.setMessageReaction("s", id, null, { author: "bot" })).toEqual([]);
      expect(db.setMessageReaction("other", id, "+1")).toBeNull();
      expect(db.getMessageReactions("other", id)).toEqual([]);
      expect(db.takeUnseenReactions("no")).toEqual([]);
      expect(() => db.setMessageReaction("s", id, "+1", { autor: "x" } as never)).toThrow(TypeError);
      expect(() => db.setMessageReaction("s", "1" as never, "+1")).toThrow(TypeError);
    },
  );
});

describe("reading from the one-object store", () => {
  it("CPT-01 pages from either end, and after an id", () => {
    using test = withSession();
    const { db } = test;
    const ids = conversation(db);
    expect(said(db.getMessages("s", { limit: 2 }))).toEqual(["user 0", "assistant 1"]);
    expect(said(db.getMessages("s", { limit: 2, offset: 1 }))).toEqual(["assistant 1", "user 2"]);
    expect(said(db.getMessages("s", { limit: 2, latest: true }))).toEqual(["user 2", "assistant 3"]);
    expect(said(db.getMessages("s", false, 2, 1, true))).toEqual(["assistant 1", "user 2"]);
    expect(said(db.getMessages("s", { afterId: ids[1]! }))).toEqual(["user 2", "assistant 3"]);
    expect(said(db.getMessages("s", false, 1, 0, false, ids[1]))).toEqual(["user 2"]);
    expect(db.getMessages("s", { limit: 0 })).toEqual([]);
    expect(db.getMessages("no")).toEqual([]);
    expect(() => db.getMessages("s", { afterId: 1, latest: true })).toThrow(RangeError);
    expect(() => db.getMessages("s", { afterId: 1, offset: 1 })).toThrow(RangeError);
    expect(() => db.getMessages("s", { limit: -1 })).toThrow(RangeError);
    expect(() => db.getMessages("s", { limits: 1 } as never)).toThrow(TypeError);
    expect(() => db.getMessages("s", "yes" as never)).toThrow(TypeError);
  });

  it("CPT-03 spells rows as the file does when asked to, and leaves what is inside them", () => {
    using test = withSession("peer");
    test.db.appendMessage("s", "assistant", "x", { toolCalls: [{ callId: 1 }], displayMetadata: { someKey: 1 } });
    const [row] = test.db.getMessages("s").map(plain);
    expect(row).toMatchObject({ session_id: "s", tool_calls: [{ callId: 1 }], display_metadata: { someKey: 1 } });
    expect(row).toHaveProperty("timestamp", test.clock.now());
    expect(Object.keys(row!).filter((key) => /[A-Z]/.test(key))).toEqual([]);
    const around = plain(test.db.getMessagesAround("s", 1));
    expect(around).toMatchObject({ messages_before: 0, messages_after: 0, window: [{ session_id: "s" }] });
  });

  it("CPT-01 shows the neighbours of a message, and none for one of another session", () => {
    using test = withSession();
    const { db } = test;
    const ids = conversation(db);
    const { window, messagesBefore, messagesAfter } = db.getMessagesAround("s", ids[1]!, 1);
    expect([said(window), messagesBefore, messagesAfter]).toEqual([["user 0", "assistant 1", "user 2"], 1, 1]);
    db.createSession("t", "cli");
    expect(db.getMessagesAround("t", ids[1]!)).toEqual({ window: [], messagesBefore: 0, messagesAfter: 0 });
    expect(() => db.getMessagesAround("s", ids[1]!, 0.5)).toThrow(RangeError);
  });

  it("CPT-01 reads a conversation by the old arguments or by name", () => {
    using test = withSession();
    const { db } = test;
    conversation(db);
    db.createSession("b", "cli", { parentSessionId: "s" });
    db.appendMessage("b", "user", "more");
    expect(said(db.getMessagesAsConversation("b"))).toEqual(["more"]);
    expect(db.getMessagesAsConversation("b", true)).toHaveLength(5);
    expect(db.getMessagesAsConversation("b", { includeAncestors: true })).toHaveLength(5);
    expect(db.getMessagesAsConversation("b", false, false, true, true)[0]?.id).toBe(5);
    expect(db.getMessagesAsConversation("no")).toEqual([]);
    expect(db.getResumeConversations("no")).toEqual([[], []]);
    const [model, display] = db.getResumeConversations("b");
    expect(model).toEqual(db.getMessagesAsConversation("b", { repairAlternation: true }));
    expect(display).toEqual(db.getMessagesAsConversation("b", { includeAncestors: true }));
    expect(() => db.getMessagesAsConversation("b", { ancestors: true } as never)).toThrow(TypeError);
  });

  it("CPT-03 gives the old program its flag of a stored message and its row ids", () => {
    using test = withSession("peer");
    test.db.appendMessage("s", "assistant", "x", { toolCalls: [{ id: "1" }] });
    const [message] = test.db.getMessagesAsConversation("s", { includeRowIds: true }).map(plain);
    expect(message).toMatchObject({ role: "assistant", tool_calls: [{ id: "1" }], _row_id: 1, _db_persisted: true });
    expect(message).not.toHaveProperty("id");
    const again = test.db.store.messages.saveTranscript("s", test.db.getMessagesAsConversation("s").map(camel));
    expect(again.appended).toEqual([]);
    expect(test.db.messageCount("s")).toBe(1);
  });

  it("CPT-03 calls the id that a platform gave a message as the old program did, and takes it back", () => {
    using test = withSession("peer");
    const { db } = test;
    db.appendMessage("s", "user", "x", { platformMessageId: "pm-1" });
    const [message] = db.getMessagesAsConversation("s");
    expect(message).toHaveProperty("message_id", "pm-1");
    expect(message).not.toHaveProperty("platform_message_id");
    expect(db.getMessages("s")[0]).toHaveProperty("platform_message_id", "pm-1");
    expect(db.appendMessagesBatch("s", [message!])).toBe(0);
    db.createSession("t", "cli");
    db.appendMessagesBatch("t", [message!]);
    expect(db.hasPlatformMessageId("t", "pm-1")).toBe(true);
  });

  it("CPT-01 counts in whatever state, and guards a resume and an export by what they load", () => {
    using test = withSession();
    const { db } = test;
    const ids = conversation(db);
    db.rewindToMessage("s", ids[2]!);
    db.createSession("b", "cli", { parentSessionId: "s" });
    db.appendMessage("b", "user", "more");
    expect([db.messageCount("s"), db.messageCount("b"), db.messageCount(), db.messageCount("no")]).toEqual([
      4, 1, 5, 0,
    ]);
    expect(db.getResumeMessageCount("b")).toBe(3);
    expect(db.getResumeMessageCount("no")).toBe(0);
    expect(db.assertResumeSafe("b")).toBe(3);
    expect(db.assertResumeSafe("b", 0)).toBe(0);
    expect(db.assertExportSafe("s", 4)).toBe(4);
    expect(db.assertExportSafe("no", 1)).toBe(0);
    expect(() => db.assertResumeSafe("b", 2)).toThrow(SessionResumeTooLargeError);
    expect(codeOf(() => db.assertExportSafe("s", 3))).toBe("STATE_E_EXPORT_TOO_LARGE");
    expect(() => db.assertResumeSafe("b", -1)).toThrow(RangeError);
  });

  it("CPT-01 finds the newest message of a role, and the role of a message", () => {
    using test = withSession();
    const { db } = test;
    const ids = conversation(db);
    const empty = db.appendMessage("s", "user", "");
    expect(db.latestUserMessageRowId("s")).toBe(empty);
    expect(db.latestMessageRowId("s", { requireText: true })).toBe(ids[2]);
    expect(db.latestMessageRowId("s", { role: "assistant", offset: 1 })).toBe(ids[1]);
    expect(db.latestMessageRowId("s", { offset: 9 })).toBeNull();
    expect(db.latestMessageRowId("no")).toBeNull();
    expect(db.getMessageRole("s", ids[1]!)).toBe("assistant");
    expect(db.getMessageRole("other", ids[1]!)).toBeNull();
    expect(db.getMessageRole("s", 999)).toBeNull();
    expect(() => db.latestMessageRowId("s", { role: "tool" as never })).toThrow(TypeError);
  });

  it("CPT-01 finds messages that link a pull request, in whatever shape, and no near misses", () => {
    using test = withSession();
    const { db } = test;
    db.createSession("t", "cli");
    const link = "https://github.com/a/b/pull/12";
    const ids = [
      db.appendMessage("s", "tool", `created ${link}\n`),
      db.appendMessage("s", "assistant", [{ type: "text", text: `see ${link}.` }]),
      db.appendMessage("t", "user", "https://git.example.org/a/b/-/merge_requests/3 please"),
    ];
    db.appendMessage("s", "user", "git/pull/request and /pull/12 and https://x.org/pull/requests");
    expect(db.findPrUrlMessages(["s", "t"]).map((row) => row.id)).toEqual(ids);
    expect(db.findPrUrlMessages(["t"]).map((row) => row.sessionId)).toEqual(["t"]);
    expect(db.findPrUrlMessages([])).toEqual([]);
    expect(db.findPrUrlMessages(["no"])).toEqual([]);
    expect(() => db.findPrUrlMessages("s" as never)).toThrow(TypeError);
  });
});

/** A transcript message of the old spelling with the keys that the parts know. */
function camel(message: TranscriptMessage): TranscriptMessage {
  const { tool_calls: toolCalls, timestamp: timestampSeconds, _db_persisted: _, ...rest } = plain(message);
  return { ...rest, ...(toolCalls !== undefined && { toolCalls }), timestampSeconds } as unknown as TranscriptMessage;
}
