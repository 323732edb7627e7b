import { describe, expect, it } from "vitest";
import { SessionExportTooLargeError } from "../src/hermes-state/index.js";
import { codeOf, openSessionDb } from "./support/open-session-db.js";
import type { TestDb } from "./support/open-session-db.js";

function conversation(): TestDb {
  const test = openSessionDb();
  const { db } = test;
  db.createSession("root", "cli", { title: "Kept", systemPrompt: "Be brief.", modelConfig: { temperature: 1 } });
  db.appendMessage("root", "user", "first");
  db.endSession("root", "compression");
  db.createSession("tip", "cli", { parentSessionId: "root" });
  db.appendMessage("tip", "user", [{ type: "text", text: "second" }]);
  db.appendMessage("tip", "assistant", "third", { reasoning: "because" });
  return test;
}

describe("exporting from the one-object store", () => {
  it("CPT-01 gives a session with its active messages in the shape of the old program", () => {
    using test = conversation();
    const { db } = test;
    db.rewindToMessage("tip", 2);
    db.appendMessage("tip", "user", "again");
    expect(db.exportSession("root")).toMatchObject({
      id: "root",
      source: "cli",
      title: "Kept",
      system_prompt: "Be brief.",
      end_reason: "compression",
      messages: [{ id: 1, role: "user", content: "first", timestamp: test.clock.now() }],
    });
    expect(db.exportSession("tip")?.["messages"]).toMatchObject([{ content: "again" }]);
    expect(db.exportSession("none")).toBeNull();
  });

  it("CPT-01 gives a conversation with its segments, and every session", () => {
    using test = conversation();
    const { db } = test;
    db.setSessionArchived("tip", true);
    for (const id of ["root", "tip"]) {
      expect(db.exportSessionLineage(id)).toMatchObject({
        id: "tip",
        lineage_session_ids: ["root", "tip"],
        segments: [{ id: "root" }, { id: "tip" }],
        message_count: 3,
        messages: [{ content: "first" }, { content: [{ type: "text", text: "second" }] }, { content: "third" }],
      });
    }
    expect(db.exportSessionLineage("none")).toBeNull();
    db.createSession("chat", "telegram");
    expect(
      db
        .exportAll()
        .map((session) => session["id"])
        .sort(),
    ).toEqual(["chat", "root", "tip"]);
    expect(db.exportAll("telegram").map((session) => session["id"])).toEqual(["chat"]);
  });

  it("CPT-01 refuses a session beyond the limit of exports", () => {
    using test = openSessionDb();
    const { db } = test;
    db.createSession("s1", "cli");
    db.store.write("many", (w) => {
      for (const name of ["messages_fts_insert", "messages_fts_trigram_insert"]) w.exec(`DROP TRIGGER ${name}`);
      w.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
        INSERT INTO messages (session_id, role, content, timestamp) SELECT 's1', 'user', 'x', i FROM n`);
    });
    expect(codeOf(() => db.exportSession("s1"))).toBe("STATE_E_EXPORT_TOO_LARGE");
    expect(() => db.exportAll()).toThrow(SessionExportTooLargeError);
  });
});

describe("importing into the one-object store", () => {
  it("CPT-01 takes in what was exported, skips what is here, and numbers a title that is taken", async () => {
    using from = conversation();
    using to = openSessionDb({ rows: "peer" });
    const exported = from.db.exportAll();
    to.db.createSession("other", "cli");
    to.db.setSessionTitle("other", "Kept");
    const first = await to.db.importSessions(exported);
    expect({ ...first, imported_ids: [] }).toEqual({
      ok: true,
      imported: 2,
      skipped: 0,
      detached: 0,
      imported_ids: [],
      skipped_ids: [],
      errors: [],
    });
    expect(to.db.getSessionTitle("root")).toBe("Kept #2");
    expect(to.db.getMessages("tip")).toMatchObject([
      { content: [{ type: "text", text: "second" }] },
      { reasoning: "because" },
    ]);
    expect(to.db.getCompressionLineage("root")).toEqual(["root", "tip"]);
    expect(to.db.searchMessages("second")).toHaveLength(1);
    expect(await to.db.importSessions(exported)).toMatchObject({ ok: true, imported: 0, skipped: 2 });
  });

  it("CPT-01 imports nothing when any item is wrong, and says which", async () => {
    using test = openSessionDb();
    const { db } = test;
    const ring: Record<string, unknown> = { id: "ring", messages: [] };
    ring["self"] = ring;
    const good = { id: "good", messages: [{ role: "user", content: "x" }] };
    for (const bad of [
      7,
      null,
      undefined,
      {},
      { id: "b" },
      { id: "b", messages: [{}] },
      { id: "b", messages: [7] },
      ring,
      { id: 1n },
    ]) {
      const result = await db.importSessions([good, bad]);
      expect(result).toMatchObject({ ok: false, imported: 0, importedIds: [], errors: [{ index: 1 }] });
      expect(result.errors[0]?.error.length).toBeGreaterThan(0);
    }
    expect(await db.importSessions([good, good])).toMatchObject({
      ok: false,
      errors: [{ index: 1, sessionId: "good" }],
    });
    expect(db.sessionCount()).toBe(0);
    expect(await db.importSessions([])).toMatchObject({ ok: true, imported: 0, errors: [] });
    await expect(db.importSessions("good" as never)).rejects.toThrow(TypeError);
    await expect(db.importSessions(Array.from({ length: 501 }, () => good))).rejects.toThrow(RangeError);
  });

  it("CPT-01 counts sessions that stand without their parent", async () => {
    using test = openSessionDb();
    const item = { id: "child", parent_session_id: "gone", messages: [] };
    expect(await test.db.importSessions([item])).toMatchObject({ ok: true, detached: 1, importedIds: ["child"] });
  });
});
