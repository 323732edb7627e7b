import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../../test/support/open-test-store.js";
import { queryPlans, recordingReader } from "../../../test/support/recording-reader.js";
import type { Statement } from "../../../test/support/recording-reader.js";
import type { StateStore } from "../../index.js";
import { listSessions } from "./list-sessions.js";
import { NewestMessages } from "./newest-messages.js";
import type { SessionListOptions } from "./session-filter.js";

const ORDERS = ["started", "active"] as const;

function ids(store: StateStore, options: SessionListOptions = {}): string[] {
  return store.sessions.list(options).sessions.map((row) => row.id);
}

/** Sessions `s1` to `sN`, each starting a second after the one before. */
function rows(store: StateStore, count: number, fields: object = {}): void {
  for (let index = 1; index <= count; index++) {
    store.sessions.create({ id: `s${String(index)}`, source: "cli", startedAtSeconds: 1_000 + index, ...fields });
  }
}

describe("the listing", () => {
  it.each([0, 1, 2, 5])("COR-31 pages through %i sessions by cursor and by offset alike", (count) => {
    using test = openTestStore();
    rows(test.store, count);
    for (const order of ORDERS) {
      const whole = ids(test.store, { order });
      expect(whole).toHaveLength(count);
      const walked: string[] = [];
      for (let offset = 0; offset <= count; offset += 2) walked.push(...ids(test.store, { order, limit: 2, offset }));
      expect(walked).toEqual(whole);
      expect([...test.store.sessions.iterate({ order, limit: 2 })].map((row) => row.id)).toEqual(whole);
    }
  });

  it.each(ORDERS)("P24 COR-31 the cursor of order %s is stable while sessions are added and equal moments abound", (order) => {
    using test = openTestStore();
    const { sessions } = test.store;
    for (let index = 0; index < 6; index++) sessions.create({ id: `t${String(index)}`, source: "cli", startedAtSeconds: 50 });
    const first = sessions.list({ order, limit: 3 });
    sessions.create({ id: "newer", source: "cli", startedAtSeconds: 60 });
    sessions.create({ id: "t9", source: "cli", startedAtSeconds: 50 });
    const second = sessions.list({ order, limit: 3, cursor: first.nextCursor! });
    const seen = [...first.sessions, ...second.sessions].map((row) => row.id);
    expect(seen).toEqual(["t5", "t4", "t3", "t2", "t1", "t0"]);
    expect(second.nextCursor).toBeUndefined();
  });

  it("COR-31 refuses misuse by name, and a cursor of another order by code", () => {
    using test = openTestStore();
    rows(test.store, 3);
    const { sessions } = test.store;
    const { nextCursor } = sessions.list({ limit: 1 });
    const misuse: unknown[] = [
      { limti: 1 },
      { source: 5 },
      { sources: "cli" },
      { archived: true },
      { order: "newest" },
      { includePinned: 1 },
      { minMessageCount: 1.5 },
      { offset: 1, cursor: nextCursor },
    ];
    for (const options of misuse) expect(() => sessions.list(options as SessionListOptions)).toThrow(TypeError);
    for (const limit of [0, -1, 1.5, 5_000]) expect(() => sessions.list({ limit })).toThrow(RangeError);
    expect(() => sessions.list({ offset: -1 })).toThrow(RangeError);
    expect(() => sessions.count({ limit: 1 } as object)).toThrow(TypeError);
    for (const cursor of ["x", nextCursor!]) {
      expect(stateErrorOf(() => sessions.list({ order: "active", cursor })).code).toBe("STATE_E_BAD_CURSOR");
    }
  });
});

describe("what is listed", () => {
  it("COR-31 roots, branches and resets; no delegate, tool session or continuation; inherited markers mark nothing", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "root", source: "cli", startedAtSeconds: 1 });
    const child = (id: string, modelConfig: object, source = "cli"): void => {
      const started = 10 + sessions.count({ includeChildren: true });
      const parentSessionId = id.startsWith("cont") ? "branch" : "root";
      sessions.create({ id, source, parentSessionId, startedAtSeconds: started, modelConfig: { ...modelConfig } });
    };
    child("branch", { _branched_from: "root" });
    child("reset", { _reset_from: "root" });
    child("delegate", { _delegate_from: "root" });
    child("tool", {}, "tool");
    sessions.end("branch", "compression");
    child("cont", { _branched_from: "root" });
    expect(ids(test.store)).toEqual(["reset", "cont", "root"]);
    const line = sessions.list().sessions.find((row) => row.id === "cont");
    expect(line).toMatchObject({ lineageRootId: "branch", lineageIds: ["branch", "cont"], startedAtSeconds: 11 });
    expect(ids(test.store, { projectTips: false })).toEqual(["reset", "branch", "root"]);
    expect(sessions.count()).toBe(3);
    expect(sessions.count({ includeChildren: true })).toBe(6);
    sql(test.store, "UPDATE sessions SET parent_session_id = NULL WHERE id = 'delegate'");
    expect(ids(test.store)).not.toContain("delegate");
  });

  it("COR-31 a config that is no JSON hides nothing", () => {
    using test = openTestStore();
    rows(test.store, 2);
    sql(test.store, "UPDATE sessions SET model_config = '{broken' WHERE id = 's1'");
    expect(ids(test.store)).toEqual(["s2", "s1"]);
    expect(test.store.sessions.list().sessions[1]?.damaged).toEqual(["modelConfig"]);
  });

  it("COR-30 COR-31 archived and hidden sessions are out until asked for; the archived view shows hidden ones", () => {
    using test = openTestStore();
    rows(test.store, 4);
    sql(test.store, "UPDATE sessions SET archived = 1 WHERE id IN ('s2', 's4')");
    sql(test.store, "UPDATE sessions SET hidden = 1 WHERE id IN ('s3', 's4')");
    expect(ids(test.store)).toEqual(["s1"]);
    expect(ids(test.store, { hidden: "include" })).toEqual(["s3", "s1"]);
    expect(ids(test.store, { archived: "include" })).toEqual(["s2", "s1"]);
    expect(ids(test.store, { archived: "only" })).toEqual(["s4", "s2"]);
    expect(ids(test.store, { archived: "include", hidden: "include" })).toHaveLength(4);
    expect(test.store.sessions.resolve("s4")).toMatchObject({ kind: "session" });
  });

  it("COR-31 filters are joined by AND, and wildcards in them are literal", () => {
    using test = openTestStore();
    const { sessions } = test.store;
    sessions.create({ id: "a", source: "cli", cwd: "/w/a_b", userId: "u1", chatId: "c1", sessionKey: "k" });
    sessions.create({ id: "b", source: "cli", cwd: "/w/axb" });
    sessions.create({ id: "c", source: "telegram", cwd: "/w/a_b/sub", userId: "u1" });
    sessions.create({ id: "d", source: "cli", cwd: "C:\\w\\x" });
    sessions.create({ id: "e", source: "cli", cwd: "/W/a_b" });
    const found = (options: SessionListOptions): string[] => ids(test.store, options).sort();
    expect(found({ cwdPrefix: "/w/a_b" })).toEqual(["a", "c"]);
    expect(found({ cwdPrefix: "/w/a_b/" })).toEqual(["a", "c"]);
    expect(found({ cwdPrefix: "/" })).toEqual(["a", "b", "c", "e"]);
    expect(found({ cwdPrefix: "C:\\w" })).toEqual(["d"]);
    expect(found({ cwdPrefix: "/w/a" })).toEqual([]);
    expect(found({ userId: "u1", source: "telegram" })).toEqual(["c"]);
    expect(found({ userId: "u1", chatId: "c1", sessionKey: "k" })).toEqual(["a"]);
    expect(found({ sources: ["telegram", "x"] })).toEqual(["c"]);
    expect(found({ sources: [] })).toEqual([]);
    expect(found({ sources: ["cli", "telegram"], source: "cli", excludeSources: ["telegram"] })).toHaveLength(4);
    expect(found({ excludeSources: [] })).toHaveLength(5);
    expect(found({ minMessageCount: 1 })).toEqual([]);
  });

  it("COR-31 a search looks at ids and titles of every segment, also without punctuation", () => {
    using test = openTestStore();
    const { sessions, titles } = test.store;
    sessions.create({ id: "root-1", source: "cli", startedAtSeconds: 1 });
    titles.set("root-1", "Ticket AN-94 done");
    sessions.end("root-1", "compression");
    sessions.create({ id: "tip-1", source: "cli", parentSessionId: "root-1", startedAtSeconds: 2 });
    sessions.create({ id: "other", source: "cli", startedAtSeconds: 3 });
    titles.set("other", "100% sure");
    for (const searchQuery of ["an94", "AN-94", "an 94", "tip-1", "ROOT", "ticket an"]) {
      for (const order of ORDERS) expect(ids(test.store, { searchQuery, order }), searchQuery).toEqual(["tip-1"]);
    }
    expect(ids(test.store, { searchQuery: "100%" })).toEqual(["other"]);
    expect(ids(test.store, { searchQuery: "0_ s" })).toEqual([]);
    expect(ids(test.store, { idQuery: "TIP" })).toEqual(["tip-1"]);
    expect(ids(test.store, { idQuery: "an-94" })).toEqual([]);
    expect(sessions.count({ searchQuery: "an94" })).toBe(1);
  });

  it("COR-31 pinned sessions that the page missed follow it, by the same filter, once", () => {
    using test = openTestStore();
    rows(test.store, 5);
    sql(test.store, "UPDATE sessions SET pinned = 1 WHERE id IN ('s1', 's2', 's5')");
    sql(test.store, "UPDATE sessions SET archived = 1 WHERE id = 's2'");
    for (const order of ORDERS) {
      const page = test.store.sessions.list({ order, limit: 2, includePinned: true });
      expect(page.sessions.map((row) => row.id)).toEqual(["s5", "s4", "s1"]);
      expect(ids(test.store, { order, limit: 2, includePinned: true, cursor: page.nextCursor! })).toEqual(["s3", "s1"]);
    }
  });
});

describe("what a line shows", () => {
  it("COR-31 a conversation is as active as its most active segment, and shows its tip", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "root", source: "cli", startedAtSeconds: 10, model: "old", cwd: "/root" });
    messages.append("root", { role: "user", content: "of the root", timestampSeconds: 9_000 });
    sessions.end("root", "compression", { atSeconds: 20 });
    sessions.create({ id: "tip", source: "cli", parentSessionId: "root", startedAtSeconds: 21, model: "new" });
    messages.append("tip", { role: "user", content: "of the tip", timestampSeconds: 30 });
    sessions.create({ id: "between", source: "cli", startedAtSeconds: 500 });
    expect(ids(test.store, { order: "active" })).toEqual(["tip", "between"]);
    expect(sessions.list({ order: "active" }).sessions[0]).toMatchObject({
      id: "tip",
      startedAtSeconds: 10,
      lastActiveSeconds: 30,
      preview: "of the tip",
      model: "new",
      cwd: "/root",
      endReason: null,
      parentSessionId: null,
    });
  });

  it("COR-30 a session is unread when it was active after it was read; untracked ones are read", () => {
    using test = openTestStore();
    rows(test.store, 3);
    sql(test.store, "UPDATE sessions SET last_activity_at = 100");
    sql(test.store, "UPDATE sessions SET last_read_at = 99 WHERE id = 's1'");
    sql(test.store, "UPDATE sessions SET last_read_at = 100 WHERE id = 's2'");
    const unread = test.store.sessions.list().sessions.map((row) => [row.id, row.unread]);
    expect(unread).toEqual([
      ["s3", false],
      ["s2", false],
      ["s1", true],
    ]);
  });

  it.each<[string, object[], string]>([
    ["the first user message", [{ role: "system", content: "no" }, { role: "user", content: "yes" }], "yes"],
    ["one line", [{ role: "user", content: "a\r\nb\nc" }], "a  b c"],
    ["60 characters, astral ones whole", [{ role: "user", content: "\u{1f9d1}".repeat(61) }], `${"\u{1f9d1}".repeat(60)}...`],
    ["exactly 60", [{ role: "user", content: "x".repeat(60) }], "x".repeat(60)],
    ["nothing", [{ role: "assistant", content: "x" }], ""],
    ["past empty and hidden rows", [{ role: "user", content: "" }, { role: "user", content: "h", displayKind: "hidden" },
      { role: "user", content: "seen" }], "seen"],
    ["past a summary", [{ role: "user", content: "sum", compressedSummary: true }, { role: "user", content: "said" }], "said"],
    ["text of parts", [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } },
      { type: "text", text: "大别山 \"q\"\\" }] }], "大别山 \"q\"\\"],
    ["no JSON of an image alone", [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }], ""],
    ["the skill that was invoked", [{ role: "user", content: '[IMPORTANT: The user has invoked the "work" skill.] body' }], "/work"],
    ["no injected context", [{ role: "user", content: "<memory-context>secret</memory-context>shown" }], "shown"],
  ])("COR-31 previews %s", (_, messages, preview) => {
    using test = openTestStore();
    rows(test.store, 1);
    test.store.messages.appendBatch("s1", messages as { role: string }[]);
    expect(test.store.sessions.list().sessions[0]?.preview).toBe(preview);
  });

  it("COR-31 P24 previews the head of structured content, wherever the head cuts it", () => {
    using test = openTestStore();
    rows(test.store, 1);
    for (let length = 740; length <= 800; length++) {
      sql(test.store, "DELETE FROM messages");
      const text = "y".repeat(length) + "\u{1f9d1}\"\\\n大".repeat(20);
      test.store.messages.append("s1", { role: "user", content: [{ type: "text", text }] });
      expect(test.store.sessions.list().sessions[0]?.preview).toBe(`${"y".repeat(60)}...`);
    }
  });
});

describe("bad cells", () => {
  function spoilt(store: StateStore): void {
    rows(store, 6);
    sql(store, "UPDATE sessions SET started_at = 'not-a-timestamp' WHERE id = 's2'");
    sql(store, "UPDATE sessions SET started_at = 5.49e246, last_activity_at = 5.49e246 WHERE id = 's4'");
    sql(store, "UPDATE sessions SET started_at = -1, last_activity_at = 'x', last_read_at = 'y' WHERE id = 's5'");
    store.messages.append("s1", { role: "user", content: "hi", timestampSeconds: 2_000 });
    sql(store, "UPDATE messages SET timestamp = 'x'");
    store.messages.append("s2", { role: "user", content: "hi", timestampSeconds: 1_500 });
  }

  it("P28 COR-31 do not hijack an order, and the rest of the list is whole", () => {
    using test = openTestStore();
    spoilt(test.store);
    expect(ids(test.store, { order: "started" })).toEqual(["s6", "s3", "s1", "s5", "s4", "s2"]);
    expect(ids(test.store, { order: "active" })).toEqual(["s2", "s6", "s3", "s1", "s5", "s4"]);
    const lines = new Map(test.store.sessions.list().sessions.map((row) => [row.id, row]));
    expect(lines.get("s1")).toMatchObject({ lastActiveSeconds: 1_001, damaged: [] });
    expect(lines.get("s2")).toMatchObject({ lastActiveSeconds: 1_500, damaged: ["startedAtSeconds"] });
    expect(lines.get("s4")?.damaged).toEqual(["startedAtSeconds", "lastActivityAtSeconds"]);
    expect(lines.get("s5")?.damaged).toEqual(["startedAtSeconds", "lastActivityAtSeconds", "lastReadAtSeconds"]);
    expect(lines.get("s5")?.lastActiveSeconds).toBeUndefined();
  });

  it("P28 COR-31 are paged through like all others", () => {
    using test = openTestStore();
    spoilt(test.store);
    for (const order of ORDERS) {
      const whole = ids(test.store, { order });
      for (const limit of [1, 2, 4]) {
        expect([...test.store.sessions.iterate({ order, limit })].map((row) => row.id)).toEqual(whole);
        const walked: string[] = [];
        for (let offset = 0; offset < 8; offset += limit) walked.push(...ids(test.store, { order, limit, offset }));
        expect(walked).toEqual(whole);
      }
    }
  });
});

function traced(store: StateStore, options: SessionListOptions): { log: Statement[]; plans: string[] } {
  return store.read((r) => {
    const log: Statement[] = [];
    listSessions(recordingReader(r, log), options, new NewestMessages(store.clock));
    const plans = queryPlans(r, log);
    return { log, plans };
  });
}

/** How a plan names a visit of every row of `messages`. */
const SCANS_MESSAGES = /^SCAN (?:m|early|newest|messages)\b/;

describe("what a page costs", () => {
  const COMBINATIONS: SessionListOptions[] = [
    {},
    { order: "active" },
    { source: "cli", minMessageCount: 1, archived: "include" },
    { order: "active", searchQuery: "s1", includePinned: true },
    { includeChildren: true },
    { cwdPrefix: "/w", idQuery: "s" },
  ];

  function filled(store: StateStore, perSession: number): void {
    rows(store, 30, { systemPrompt: "PROMPT".repeat(2_000), cwd: "/w" });
    const body = "BODY".repeat(5_000);
    for (let index = 1; index <= 30; index++) {
      const batch = Array.from({ length: perSession }, (_, turn) => ({ role: turn % 2 ? "tool" : "user", content: body }));
      store.messages.appendBatch(`s${String(index)}`, batch);
    }
  }

  it("P24 COR-31 walks no session's messages: every visit of them is a seek", () => {
    using test = openTestStore();
    filled(test.store, 4);
    for (const options of COMBINATIONS) {
      const { plans } = traced(test.store, options);
      expect(plans.some((detail) => detail.startsWith("SEARCH"))).toBe(true);
      expect(plans.filter((detail) => SCANS_MESSAGES.test(detail))).toEqual([]);
    }
    // The check itself: a query that walks the messages is caught.
    const walking = "EXPLAIN QUERY PLAN SELECT COUNT(content) FROM messages AS m";
    const walk = test.store.read((r) => r.all<{ detail: string }>(walking));
    expect(walk.filter((row) => SCANS_MESSAGES.test(row.detail))).toHaveLength(1);
  });

  it("P24 COR-31 the newest message of a session is found in the index, without its row", () => {
    using test = openTestStore();
    filled(test.store, 2);
    const { plans } = traced(test.store, { order: "active" });
    const seeks = plans.filter((detail) => detail.startsWith("SEARCH newest"));
    expect(seeks.length).toBeGreaterThan(0);
    for (const seek of seeks) expect(seek).toContain("COVERING INDEX");
  });

  it("P24 COR-31 the default order follows its index", () => {
    using test = openTestStore();
    filled(test.store, 1);
    const { plans } = traced(test.store, {});
    expect(plans[0]).toContain("idx_sessions_started");
  });

  it("P24 COR-31 takes as many statements for many messages as for few, and reads no body and no prompt", () => {
    const counts = [1, 40].map((perSession) => {
      using test = openTestStore();
      filled(test.store, perSession);
      return COMBINATIONS.map((options) => {
        const { log } = traced(test.store, options);
        const answer = JSON.stringify(log.map((statement) => statement.rows));
        expect(answer).not.toContain("PROMPT");
        expect(Math.max(...[...answer.matchAll(/(?:BODY)+/g)].map(([body]) => body.length))).toBeLessThanOrEqual(800);
        for (const { sql: text } of log) expect(text).not.toMatch(/system_prompts|\bsystem_prompt\b/);
        return log.length;
      });
    });
    expect(counts[0]).toEqual(counts[1]);
    expect(Math.max(...counts[0]!)).toBeLessThanOrEqual(9);
  });
});
