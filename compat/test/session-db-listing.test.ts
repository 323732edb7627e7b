import { describe, expect, it } from "vitest";
import { openSessionDb } from "./support/open-session-db.js";
import type { TestDb } from "./support/open-session-db.js";

const plain = (row: unknown): Record<string, unknown> => row as Record<string, unknown>;
const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map((row) => row.id);

/** A compacted conversation of root and tip, a branch, a delegate, an archived one and one of Telegram. */
function fixture(rows: "camel" | "peer" = "camel"): TestDb {
  const test = openSessionDb({ rows });
  const { db, clock } = test;
  const add = (id: string, source: string, options: Parameters<typeof db.createSession>[2] = {}): void => {
    clock.advance(1_000);
    db.createSession(id, source, options);
    db.appendMessage(id, "user", `about ${id}`);
  };
  add("root", "cli", { cwd: "/w/one", systemPrompt: "Be brief." });
  db.endSession("root", "compression");
  add("tip", "cli", { parentSessionId: "root", title: "AN-94", systemPrompt: "Be briefer." });
  add("delegate", "cli", { parentSessionId: "tip", modelConfig: { _delegate_from: "tip" } });
  add("archived", "cli");
  db.setSessionArchived("archived", true);
  add("chat", "telegram", { cwd: "/w/two", sessionKey: "k1" });
  return test;
}

describe("the listings of the one-object store", () => {
  it("CPT-01 show conversations as their tips, with the words of the old program for what it added", () => {
    using test = fixture("peer");
    const rows = test.db.listSessionsRich().map(plain);
    expect(rows.map((row) => row["id"])).toEqual(["chat", "tip"]);
    expect(rows[1]).toMatchObject({
      _lineage_root_id: "root",
      _lineage_ids: ["root", "tip"],
      preview: "about tip",
      title: "AN-94",
      unread: false,
      system_prompt: "Be briefer.",
    });
    expect(rows[1]?.["started_at"]).toBeLessThan(rows[1]?.["last_active"] as number);
    expect(rows[0]).not.toHaveProperty("_lineage_root_id");
  });

  it("CPT-01 take their filters in the old order, by name, and both", () => {
    using test = fixture();
    const { db } = test;
    expect(ids(db.listSessionsRich("telegram"))).toEqual(["chat"]);
    expect(ids(db.listSessionsRich(null, ["cli"], null, null, 1))).toEqual(["tip"]);
    expect(ids(db.listSessionsRich("cli", { includeArchived: true }))).toEqual(["archived", "tip"]);
    expect(ids(db.listSessionsRich({ archivedOnly: true }))).toEqual(["archived"]);
    expect(ids(db.listSessionsRich({ includeChildren: true, limit: -1 }))).toHaveLength(4);
    expect(ids(db.listSessionsRich({ orderByLastActive: true, searchQuery: "an94" }))).toEqual(["tip"]);
    expect(ids(db.listSessionsRich({ sessionKey: "k1" }))).toEqual(["chat"]);
    expect(ids(db.listSessionsRich({ cwdPrefix: "/w", offset: 1 }))).toEqual(["tip"]);
    expect(ids(db.listSessionsRich({ projectCompressionTips: false, source: "cli" }))).toEqual(["root"]);
    expect(db.listSessionsRich({ limit: 0 })).toEqual([]);
    expect(db.listSessionsRich({ minMessageCount: 5 })).toEqual([]);
    db.setSessionPinned("tip", true);
    expect(ids(db.listSessionsRich({ limit: 1, includePinned: true }))).toEqual(["chat", "tip"]);
  });

  it("CPT-01 leave out what is bulky from compact rows", () => {
    using test = fixture();
    const [compact] = test.db.listSessionsRich({ compactRows: true, sources: ["cli"] });
    for (const key of ["systemPrompt", "systemPromptHash", "gitMetadataGeneration"])
      expect(compact).not.toHaveProperty(key);
    expect(test.db.getSessionRichRow("root")).toMatchObject({ id: "root", systemPrompt: "Be brief." });
    expect(test.db.getSessionRichRow("root", true)).not.toHaveProperty("systemPrompt");
    expect(test.db.getSessionRichRow("none")).toBeNull();
  });

  it("CPT-01 read on beyond the pages of the parts", () => {
    using test = openSessionDb();
    const { db } = test;
    db.store.write("many", (w) => {
      w.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
        INSERT INTO sessions (id, source, started_at) SELECT 's' || i, 'cli', i FROM n`);
    });
    db.setSessionPinned("s1", true);
    expect(db.listSessionsRich({ limit: -1, compactRows: true })).toHaveLength(2_100);
    const stretch = ids(db.listSessionsRich({ limit: 1_500, offset: 10, includePinned: true, compactRows: true }));
    expect([stretch.length, stretch[0], stretch[1_499], stretch[1_500]]).toEqual([1_501, "s2090", "s591", "s1"]);
  });

  it("CPT-01 refuse misspelt names and impossible values", () => {
    using test = fixture();
    const { db } = test;
    expect(() => db.listSessionsRich({ sorce: "cli" } as never)).toThrow(TypeError);
    expect(() => db.listSessionsRich({ limit: 1.5 })).toThrow(RangeError);
    expect(() => db.listSessionsRich({ offset: -1 })).toThrow(RangeError);
    expect(() => db.listSessionsRich({ sources: "cli" as never })).toThrow(TypeError);
    expect(() => db.sessionCountGe(0.5)).toThrow(RangeError);
    expect(() => db.sessionCountBySource({ archived: true } as never)).toThrow(TypeError);
  });

  it("CPT-01 count what they show, and every session where the old program did", () => {
    using test = fixture();
    const { db } = test;
    expect(db.sessionCount({ excludeChildren: true })).toBe(db.listSessionsRich().length);
    expect([db.sessionCount(), db.sessionCount("cli"), db.sessionCount({ includeArchived: true })]).toEqual([4, 3, 5]);
    expect(db.sessionCount(null, ["telegram"])).toBe(1);
    expect(db.sessionCountBySource({ includeArchived: true })).toEqual({ cli: 4, telegram: 1 });
    expect([db.sessionCountGe(5), db.sessionCountGe(6), db.sessionCountGe(0)]).toEqual([true, false, true]);
  });

  it("CPT-01 search sessions by source and by workspace, the most recently active first", () => {
    using test = fixture();
    const { db } = test;
    test.clock.advance(1_000);
    db.appendMessage("tip", "user", "more");
    expect(ids(db.searchSessions())[0]).toBe("tip");
    expect(ids(db.searchSessions("cli"))).toContain("delegate");
    expect(ids(db.searchSessions({ workspaceKey: "/w/two" }))).toEqual(["chat"]);
    expect(ids(db.searchSessions({ workspaceKey: "/w/one" })).sort()).toEqual(["delegate", "root", "tip"]);
    expect(ids(db.searchSessions(null, 1, 0, "/w/one"))).toHaveLength(1);
    expect(ids(db.searchSessions("cli"))).toContain("archived");
    expect(ids(db.searchSessions({ source: "cli", includeArchived: false }))).not.toContain("archived");
  });

  it("CPT-01 find sessions by parts of their ids", () => {
    using test = fixture("peer");
    const { db } = test;
    expect(plain(db.searchSessionsById("ROOT")[0])).toMatchObject({ id: "tip", _lineage_root_id: "root" });
    expect(ids(db.searchSessionsById("chat", 5, true, "telegram"))).toEqual(["chat"]);
    expect(db.searchSessionsById("chat", { source: "cli" })).toEqual([]);
    expect([db.searchSessionsById("  "), db.searchSessionsById("chat", 0)]).toEqual([[], []]);
    expect(db.searchSessionsById("archived", { includeArchived: false })).toEqual([]);
    expect(() => db.searchSessionsById(7 as never)).toThrow(TypeError);
  });

  it("CPT-01 tell folders, runs of a job, skills, and what the assistant said first", () => {
    using test = fixture("peer");
    const { db } = test;
    for (const id of ["cron_job1_1", "cron_job1_2", "cron_job10_1"]) {
      test.clock.advance(1_000);
      db.createSession(id, "cron");
    }
    expect(db.distinctSessionCwds().map(plain)[0]).toMatchObject({
      cwd: "/w/two",
      sessions: 1,
      last_active: expect.any(Number) as number,
    });
    expect(ids(db.listCronJobRuns("job1"))).toEqual(["cron_job1_2", "cron_job1_1"]);
    expect(ids(db.listCronJobRuns("job1", 1, 1))).toEqual(["cron_job1_1"]);
    expect(() => db.listCronJobRuns("job1", -1)).toThrow(RangeError);
    db.createSession("skilled", "cli", { title: "Made of a body" });
    const body = '[IMPORTANT: The user has invoked the "tidy" skill, indicating they want it.]';
    db.appendMessage("skilled", "user", body);
    db.appendMessage("skilled", "assistant", "At once.");
    expect(db.listSkillScaffoldedSessions()).toEqual([{ id: "skilled", title: "Made of a body", content: body }]);
    expect([db.getFirstAssistantText("skilled"), db.getFirstAssistantText("none")]).toEqual(["At once.", ""]);
  });
});
