import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describePeer, peerExpected } from "@hermes/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isHandoff } from "../src/index.js";
import type { AnchoredOptions, MessageRow, NewMessage, UserTurnOptions } from "../src/index.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";
import { recordedRow, toPeerMessage, toPeerRow } from "./support/peer-dict.js";
import { openPeerCopy } from "./support/peer-expected.js";
import type { PeerDict, PeerSmall } from "./support/peer-expected.js";

const user = (content: NewMessage["content"], rest: Partial<NewMessage> = {}): NewMessage => ({ role: "user", content: content!, ...rest });

function withMessages(messages: readonly NewMessage[]): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  if (messages.length > 0) test.store.messages.appendBatch("s1", messages);
  return test;
}

const ids = (rows: readonly { id: number }[]): number[] => rows.map((row) => row.id);

describe("SEA-14 recent user turns", () => {
  it("SEA-14 come newest first, with the moment and one line of preview", () => {
    using test = withMessages([
      user("  one\n\ttwo  ", { timestampSeconds: 5 }),
      { role: "assistant", content: "no" },
      user("x".repeat(80), { timestampSeconds: 6 }),
      user("💾".repeat(81), { timestampSeconds: 7 }),
      user([{ type: "text", text: "a picture" }, { type: "image_url" }], { timestampSeconds: 8 }),
      user([{ type: "image_url" }], { timestampSeconds: 9 }),
      user('[IMPORTANT: The user has invoked the "plan" skill, do as it says.] body', { timestampSeconds: 10 }),
      user(null, { timestampSeconds: 11 }),
    ]);
    expect(test.store.messages.recentUserTurns("s1", 10)).toEqual([
      { id: 8, timestampSeconds: 11, preview: "" },
      { id: 7, timestampSeconds: 10, preview: "/plan" },
      { id: 6, timestampSeconds: 9, preview: "[multimodal content]" },
      { id: 5, timestampSeconds: 8, preview: "a picture" },
      { id: 4, timestampSeconds: 7, preview: `${"💾".repeat(77)}...` },
      { id: 3, timestampSeconds: 6, preview: "x".repeat(80) },
      { id: 1, timestampSeconds: 5, preview: "one two" },
    ]);
  });

  const HANDOFFS: readonly NewMessage[] = [
    user("[CONTEXT COMPACTION] earlier turns were compacted"),
    user("[CONTEXT COMPACTION - REFERENCE ONLY] so far"),
    user("[CONTEXT SUMMARY]: so far"),
    user([{ type: "text", text: "[CONTEXT SUMMARY]: in parts" }]),
    user("anything at all", { compressedSummary: true }),
  ];

  it("SEA-14 30 handoffs in a row hide no turn: limit 5 gives the five before them", () => {
    const said = Array.from({ length: 7 }, (_, n) => user(`said ${String(n)}`));
    const handoffs = Array.from({ length: 30 }, (_, n) => HANDOFFS[n % HANDOFFS.length]!);
    using test = withMessages([...said, ...handoffs]);
    expect(ids(test.store.messages.recentUserTurns("s1", 5))).toEqual([7, 6, 5, 4, 3]);
    expect(ids(test.store.messages.recentUserTurns("s1", 50))).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it.each(HANDOFFS)("SEA-14 a handoff is known by its mark or its opening: %j", (message) => {
    expect(isHandoff({ content: message.content!, compressedSummary: message.compressedSummary })).toBe(true);
    expect(isHandoff({ content: "I saw [CONTEXT SUMMARY]: in a log", compressedSummary: false })).toBe(false);
  });

  it("SEA-14 the n-th turn is the one that an undo of n turns in memory takes back", () => {
    using test = withMessages([]);
    const { messages } = test.store;
    const list: NewMessage[] = [];
    for (let n = 0; n < 12; n++) list.push(n % 3 === 1 ? HANDOFFS[n % 5]! : user(`said ${String(n)}`), { role: "assistant", content: "a" });
    messages.saveTranscript("s1", list);
    for (const turns of [1, 3, 5]) {
      const target = messages.recentUserTurns("s1", turns).at(-1)!;
      const inMemory = list.filter((message) => message.role === "user" && !isHandoff({ content: message.content!, compressedSummary: message.compressedSummary }));
      expect(target.preview).toBe(inMemory.at(-turns)!.content);
    }
  });

  it("SEA-14 rows shown in another way are no turns, but for a steering word; what was taken back only on request", () => {
    using test = withMessages([
      user("typed"),
      user("steered", { displayKind: "steer" }),
      user("hidden", { displayKind: "hidden" }),
      user("other", { displayKind: "notice" }),
      user("taken back", { active: false }),
      user("compacted", { active: false, compacted: true }),
    ]);
    const { messages } = test.store;
    sql(test.store, "UPDATE messages SET display_kind = '' WHERE id = 1");
    expect(ids(messages.recentUserTurns("s1"))).toEqual([2, 1]);
    expect(ids(messages.recentUserTurns("s1", 20, { includeInactive: true }))).toEqual([6, 5, 2, 1]);
  });

  it("SEA-14 refuses misuse by name, an unknown session by code", () => {
    using test = withMessages([]);
    const { messages } = test.store;
    for (const limit of [0, -1, 1.5, 10_001]) expect(() => messages.recentUserTurns("s1", limit)).toThrow(RangeError);
    expect(() => messages.recentUserTurns("s1", 1, { inactive: true } as UserTurnOptions)).toThrow(TypeError);
    expect(stateErrorOf(() => messages.recentUserTurns("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });
});

describe("COR-22 a message and its neighbours", () => {
  const roles = ["user", "assistant", "tool", "assistant"];
  const twelve = Array.from({ length: 12 }, (_, n) => ({ role: roles[n % 4]!, content: n === 1 ? null : `m${String(n + 1)}` }));

  it.each<[number, number, number[], number, number]>([
    [6, 2, [4, 5, 6, 7, 8], 2, 2],
    [1, 3, [1, 2, 3, 4], 0, 3],
    [12, 5, [7, 8, 9, 10, 11, 12], 5, 0],
    [6, 0, [6], 0, 0],
    [6, -4, [6], 0, 0],
    [6, 100, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 5, 6],
    [99, 5, [], 0, 0],
  ])("COR-22 around %s, window %s", (id, window, expected, before, after) => {
    using test = withMessages(twelve);
    const around = test.store.messages.around(id, window);
    expect([ids(around.window), around.messagesBefore, around.messagesAfter]).toEqual([expected, before, after]);
  });

  it("COR-22 a message of another session is not there; rewound neighbours are", () => {
    using test = withMessages(twelve);
    const { messages, sessions } = test.store;
    sessions.create({ id: "other", source: "cli" });
    const foreign = messages.append("other", user("x")).id;
    messages.rewindTo("s1", 5);
    expect(ids(messages.around(6, 1, "s1").window)).toEqual([5, 6, 7]);
    expect(messages.around(foreign, 1, "s1")).toEqual({ window: [], messagesBefore: 0, messagesAfter: 0 });
    const nothing = { window: [], messagesBefore: 0, messagesAfter: 0, bookendStart: [], bookendEnd: [] };
    expect(messages.anchored(foreign, { sessionId: "s1" })).toEqual(nothing);
    for (const window of [1.5, Infinity, 10_001]) expect(() => messages.around(6, window)).toThrow(RangeError);
    expect(() => messages.around("6" as unknown as number)).toThrow(TypeError);
  });

  it.each<[AnchoredOptions, number[], number[], number[]]>([
    [{ window: 1 }, [6, 7, 8], [1, 4, 5], [9, 10, 12]],
    [{ window: 1, bookend: 1 }, [6, 7, 8], [1], [12]],
    [{ window: 1, bookend: 2, roles: null }, [6, 7, 8], [1, 3], [11, 12]],
    [{ window: 1, roles: ["tool"] }, [7], [3], [11]],
    [{ window: 1, roles: [] }, [7], [], []],
    [{ window: 6 }, [1, 2, 4, 5, 6, 7, 8, 9, 10, 12], [], []],
    [{ window: 1, bookend: 0 }, [6, 7, 8], [], []],
  ])("COR-22 anchored at a tool row, %j", (options, window, start, end) => {
    using test = withMessages(twelve);
    const view = test.store.messages.anchored(7, options);
    // Row 2 holds nothing, so it is no bookend; in the window it may stand.
    expect([ids(view.window), ids(view.bookendStart), ids(view.bookendEnd)]).toEqual([window, start, end]);
  });

  it("COR-22 a broken tool call in the window is named, never thrown", () => {
    using test = withMessages(twelve);
    sql(test.store, "UPDATE messages SET tool_calls = '[broken' WHERE id = 6");
    const row = test.store.messages.anchored(7).window.find((found) => found.id === 6)!;
    expect([row.toolCalls, row.damaged]).toEqual([[], ["toolCalls"]]);
    for (const options of [{ windows: 1 }, { roles: "user" }, { roles: [1] }] as unknown as AnchoredOptions[]) {
      expect(() => test.store.messages.anchored(7, options)).toThrow(TypeError);
    }
  });
});

describe("COR-22 single facts", () => {
  it("COR-22 the newest message of a role, so many before it, with words in it", () => {
    using test = withMessages([
      user("u1"),
      { role: "assistant", content: "a1" },
      user(" \n"),
      user([{ type: "image_url" }]),
      { role: "assistant", content: "" },
      user("gone", { active: false }),
    ]);
    const { messages } = test.store;
    expect(messages.latestMessageId("s1")).toBe(4);
    expect(messages.latestMessageId("s1", { offset: 1 })).toBe(3);
    expect(messages.latestMessageId("s1", { requireText: true })).toBe(1);
    expect(messages.latestMessageId("s1", { role: "assistant" })).toBe(5);
    expect(messages.latestMessageId("s1", { role: "assistant", requireText: true })).toBe(2);
    expect(messages.latestMessageId("s1", { requireText: true, offset: 1 })).toBeUndefined();
    for (const options of [{ role: "tool" }, { rol: "user" }]) {
      expect(() => messages.latestMessageId("s1", options as object)).toThrow(TypeError);
    }
    expect(() => messages.latestMessageId("s1", { offset: -1 })).toThrow(RangeError);
    expect(stateErrorOf(() => messages.latestMessageId("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("COR-21 whether a platform's message is there, in whatever state, in this session only", () => {
    using test = withMessages([user("x", { platformMessageId: "p1", active: false })]);
    const { messages, sessions } = test.store;
    sessions.create({ id: "other", source: "cli" });
    const answers = [["s1", "p1"], ["s1", "p2"], ["other", "p1"], ["nope", "p1"]].map(([id, platformId]) => messages.hasPlatformMessageId(id!, platformId!));
    expect(answers).toEqual([true, false, false, false]);
    expect(() => messages.hasPlatformMessageId("s1", "")).toThrow(TypeError);
  });
});

describe("COR-35 size guards", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  function withRows(count: number): TestStore {
    const test = withMessages([]);
    sql(
      test.store,
      `INSERT INTO messages (session_id, role, content, timestamp, active)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 's1', 'user', 'x' || i, i, 1 FROM n`,
      count,
    );
    return test;
  }

  it("COR-35 20,001 messages are refused, 20,000 are not; the count stops one above the limit", () => {
    using test = withRows(20_001);
    const { messages } = test.store;
    for (const operation of ["resume", "export"] as const) {
      const error = stateErrorOf(() => messages.guardSize("s1", operation));
      expect([error.code, error.facts]).toEqual([
        operation === "resume" ? "STATE_E_RESUME_TOO_LARGE" : "STATE_E_EXPORT_TOO_LARGE",
        { sessionId: "s1", messageCount: 20_001, limit: 20_000 },
      ]);
      expect(stateErrorOf(() => messages.guardSize("s1", operation, 7)).facts).toMatchObject({ messageCount: 8, limit: 7 });
      expect(messages.guardSize("s1", operation, 20_001)).toBe(20_001);
    }
    expect(stateErrorOf(() => messages.resume("s1")).code).toBe("STATE_E_RESUME_TOO_LARGE");
    messages.rewindTo("s1", 20_001);
    expect(messages.guardSize("s1", "resume")).toBe(20_000);
    expect(messages.resume("s1").model.messages).toHaveLength(1);
  }, 60_000);

  it("COR-35 0 counts nothing; the limit is read at call time, and nonsense is the default", () => {
    using test = withRows(12);
    const { messages } = test.store;
    vi.stubEnv("HERMES_MAX_RESUME_MESSAGES", "10");
    expect(stateErrorOf(() => messages.resume("s1")).facts).toMatchObject({ messageCount: 11, limit: 10 });
    expect(messages.guardSize("s1", "export")).toBe(12);
    vi.stubEnv("HERMES_MAX_EXPORT_MESSAGES", "11");
    expect(stateErrorOf(() => messages.guardSize("s1", "export")).code).toBe("STATE_E_EXPORT_TOO_LARGE");
    vi.stubEnv("HERMES_MAX_RESUME_MESSAGES", "0");
    expect(messages.guardSize("s1", "resume")).toBe(0);
    expect(messages.resume("s1").display.messages).toHaveLength(12);
    expect(messages.guardSize("s1", "export", 0)).toBe(0);
    for (const nonsense of ["-1", "many", "1.5", "", " ", "99999999999999999999"]) {
      vi.stubEnv("HERMES_MAX_RESUME_MESSAGES", nonsense);
      expect(messages.guardSize("s1", "resume")).toBe(12);
    }
    for (const limit of [-1, 1.5, NaN]) expect(() => messages.guardSize("s1", "resume", limit)).toThrow(RangeError);
    expect(() => messages.guardSize("s1", "import" as "export")).toThrow(TypeError);
    expect(stateErrorOf(() => messages.guardSize("nope", "export")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("COR-35 COR-22 T9 one SELECT reads the rows of a resume, and a limit of 0 counts none", () => {
    using test = withRows(3);
    const statements: string[] = [];
    const note = (event: unknown): void => void statements.push((event as { sql: string }).sql);
    subscribe("hermes:state:statement", note);
    test.store.messages.resume("s1", 0);
    test.store.messages.guardSize("s1", "export", 0);
    unsubscribe("hermes:state:statement", note);
    expect(statements.filter((text) => /FROM messages/.test(text))).toHaveLength(1);
    expect(statements.join()).not.toContain("COUNT");
  });

  it("COR-35 a resume counts the live rows of the lineage, an export every row of the one session", () => {
    using test = withRows(5);
    const { messages, sessions } = test.store;
    sessions.end("s1", "compression");
    sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    messages.appendBatch("s2", [user("a"), user("b"), user("c", { active: false })]);
    expect([messages.guardSize("s2", "resume"), messages.guardSize("s2", "export")]).toEqual([7, 3]);
  });
});

describe("COR-22 both views of a resumed session", () => {
  it("COR-22 T9 equal the two separate reads, and come from one SELECT of messages", () => {
    using test = withMessages([user("first"), { role: "assistant", content: "a" }, user("open")]);
    const { messages, sessions } = test.store;
    sessions.end("s1", "compression");
    sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    messages.appendBatch("s2", [user("summary"), user("open"), { role: "tool", content: "stray", toolCallId: "x" }]);
    const resumed = messages.resume("s2");
    expect(resumed.model).toEqual(messages.conversation("s2", { repairAlternation: true }));
    expect(resumed.display).toEqual(messages.conversation("s2", { includeAncestors: true }));
    expect(resumed.model.messages).toHaveLength(1);
    expect(messages.saveTranscript("s2", [...resumed.model.messages, user("on")]).appended).toHaveLength(1);
    expect(messages.saveTranscript("s2", [...resumed.display.messages, user("on and on")]).appended).toHaveLength(1);
  });
});

interface Anchored {
  readonly args: readonly [string, number, number];
  readonly result: { window: PeerDict[]; messages_before: number; messages_after: number };
  readonly anchored: Anchored["result"] & { bookend_start: PeerDict[]; bookend_end: PeerDict[] };
}

describePeer("COR-22 windows of peer-small equal the peer's", () => {
  const recorded = peerExpected<PeerSmall & { around: Record<string, Anchored> | Anchored }>("peer-small.db");

  it("COR-22 around and anchored", () => {
    using peer = openPeerCopy("peer-small.db", "read");
    const cases = "args" in recorded.around ? [recorded.around as Anchored] : Object.values(recorded.around);
    const same = (ours: readonly MessageRow[], theirs: readonly PeerDict[]): void => {
      expect(ours.map((row, index) => toPeerRow(row, theirs[index] ?? {}))).toEqual(theirs.map(recordedRow));
    };
    for (const { args: [sessionId, id, window], result, anchored } of cases) {
      const around = peer.store.messages.around(id, window, sessionId);
      same(around.window, result.window);
      expect([around.messagesBefore, around.messagesAfter]).toEqual([result.messages_before, result.messages_after]);
      const view = peer.store.messages.anchored(id, { window, sessionId });
      same(view.window, anchored.window);
      same(view.bookendStart, anchored.bookend_start);
      same(view.bookendEnd, anchored.bookend_end);
    }
  });

  it("SEA-14 recent user turns of every session", () => {
    using peer = openPeerCopy("peer-small.db", "write");
    for (const [id, session] of Object.entries(recorded.sessions)) {
      const turns = (session as unknown as { recent_user: PeerDict[] | null }).recent_user;
      if (turns === null) continue;
      const ours = peer.store.messages.recentUserTurns(id, Math.max(turns.length, 1));
      expect(ours.map(({ timestampSeconds: timestamp, ...turn }) => ({ ...turn, timestamp })), id).toEqual(turns);
    }
  });

  it("COR-22 T9 a resume of every session equals the two separate reads", () => {
    using peer = openPeerCopy("peer-small.db", "read");
    const { messages } = peer.store;
    for (const [id, session] of Object.entries(recorded.sessions)) {
      const { model, display } = messages.resume(id);
      expect(model, id).toEqual(messages.conversation(id, { repairAlternation: true }));
      expect(display, id).toEqual(messages.conversation(id, { includeAncestors: true }));
      const shown = (session as unknown as { resume_display_len: number }).resume_display_len;
      expect(display.messages.length, id).toBe(shown);
      if (session.repaired) expect(model.messages.map(toPeerMessage), id).toEqual(session.repaired);
    }
  });
});
