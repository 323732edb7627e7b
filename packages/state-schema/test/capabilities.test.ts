import { describe, expect, it } from "vitest";
import { initializeSchema, readIndexState, type CreatableLayout } from "../src/index.js";
import { hidingHost } from "./hiding-host.js";
import { addMessage, addSession, buildOldFile, change } from "./old-file.js";
import { openTestHost, type TestHost } from "./test-host.js";

const NONE = { fts5: false, trigram: false };
const WORD_ONLY = { fts5: true, trigram: false };
const FULL = { fts5: true, trigram: true };

const searchTriggers = (host: TestHost): unknown[] =>
  host.db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%'").pluck().all();
const hits = (host: TestHost, table: string, term: string): unknown[] =>
  host.db.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`).pluck().all(term);
const write = (host: TestHost, content: string): void =>
  change(host, (w) => {
    w.run("INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)");
    addMessage(w, "s", { content });
  });

function expectIntact(host: TestHost, ...tables: readonly string[]): void {
  for (const table of tables) host.db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
}

describe("SCH-08 a runtime without FTS5", () => {
  it("SCH-08 creates a file that works, and does not claim the current version", () => {
    using host = openTestHost(":memory:");
    const report = initializeSchema(hidingHost(host, NONE), { sqliteCapabilities: NONE });
    expect(report).toMatchObject({ created: true, layout: "none", versionAfter: 25, problems: [] });
    write(host, "first words");
    const opens = host.transactions.length;
    initializeSchema(hidingHost(host, NONE), { sqliteCapabilities: NONE });
    expect(host.transactions.slice(opens)).toEqual([]);

    const capable = initializeSchema(host, { sqliteCapabilities: FULL });
    expect(capable).toMatchObject({ layout: 3, versionAfter: 30, index: { restored: "created", pending: false } });
    expect(hits(host, "messages_fts", "words")).toEqual([1]);
    expect(hits(host, "messages_fts_trigram", "irst")).toEqual([1]);
    expectIntact(host, "messages_fts", "messages_fts_trigram");
  });

  it.each<CreatableLayout>(["content-only", 0, 1, 2, 3])(
    "SCH-08 drops the triggers of layout %s so that writes work",
    (layout) => {
      using host = openTestHost(":memory:");
      buildOldFile(host, { version: 23, layout, broad: true });
      write(host, "before");
      const report = initializeSchema(hidingHost(host, NONE), { sqliteCapabilities: NONE });
      expect(report).toMatchObject({ layout, versionAfter: 25, pausedAt: 30, problems: [] });
      expect(report.index.droppedTriggers).toHaveLength(layout === "content-only" ? 3 : 6);
      expect(searchTriggers(host)).toEqual([]);
      write(host, "between");

      const capable = initializeSchema(host, { sqliteCapabilities: FULL });
      expect(capable.problems).toEqual([]);
      expect(capable.index.restored).toBe(layout === "content-only" || layout === 0 ? "rebuilt" : "reset");
      write(host, "after");
      for (const [n, word] of ["before", "between", "after"].entries())
        expect(hits(host, "messages_fts", word)).toEqual([n + 1]);
      expect(detach(host)).toBe(false);
      expectIntact(host, ...(layout === "content-only" ? ["messages_fts"] : ["messages_fts", "messages_fts_trigram"]));
    },
  );
});

describe("SCH-08 T14 a runtime without the trigram tokenizer", () => {
  it("SCH-08 keeps the word index of a fresh file and starts nothing over at the second open", () => {
    using host = openTestHost(":memory:");
    const hidden = hidingHost(host, WORD_ONLY);
    expect(initializeSchema(hidden, { sqliteCapabilities: WORD_ONLY })).toMatchObject({ layout: 3, versionAfter: 30 });
    write(host, "first words");
    const opens = host.transactions.length;
    expect(initializeSchema(hidden, { sqliteCapabilities: WORD_ONLY }).index.restored).toBeUndefined();
    expect(host.transactions.slice(opens)).toEqual([]);
    expect(hits(host, "messages_fts", "words")).toEqual([1]);
  });

  it.each([1, 2, 3] as const)(
    "SCH-08 T14 drops only the trigram triggers of layout %s, and a capable runtime refills both indexes",
    (layout) => {
      using host = openTestHost(":memory:");
      buildOldFile(host, { version: 30, layout });
      write(host, "before");
      const hidden = hidingHost(host, WORD_ONLY);
      const report = initializeSchema(hidden, { sqliteCapabilities: WORD_ONLY });
      expect(report).toMatchObject({ problems: [], index: { restored: undefined } });
      expect(report.index.droppedTriggers).toHaveLength(3);
      expect(searchTriggers(host)).toHaveLength(3);
      write(host, "between");
      const opens = host.transactions.length;
      initializeSchema(hidden, { sqliteCapabilities: WORD_ONLY });
      expect(host.transactions.slice(opens)).toEqual([]);
      expect(hits(host, "messages_fts", "between")).toEqual([2]);

      expect(initializeSchema(host, { sqliteCapabilities: FULL }).index).toMatchObject({
        restored: "reset",
        pending: false,
      });
      expect(hits(host, "messages_fts", "between")).toEqual([2]);
      expect(hits(host, "messages_fts_trigram", "etwee")).toEqual([2]);
      expectIntact(host, "messages_fts", "messages_fts_trigram");
    },
  );
});

describe("SCH-08 triggers that are missing on a capable runtime", () => {
  it("SCH-08 leaves a long backfill pending after a bounded number of steps", () => {
    using host = openTestHost(":memory:");
    initializeSchema(host);
    change(host, (w) => {
      addSession(w, "s");
      for (let n = 0; n < 1700; n += 1) addMessage(w, "s", { content: "word" });
      w.exec("DROP TRIGGER messages_fts_insert");
    });
    const report = initializeSchema(host, { backfillSteps: 2 });
    expect(report.index).toMatchObject({ restored: "reset", pending: true });
    expect(readIndexState(host, FULL).pending).toEqual({ progress: 1000, highWater: 1700 });
    expect(host.rebuilds.asked).toBe(0);
  });

  it.each(["content-only", 0] as const)(
    "SCH-08 SEA-09 detaches layout %s when the right to rebuild is not given",
    (layout) => {
      using host = openTestHost(":memory:", { admit: false });
      buildOldFile(host, { version: 30, layout });
      change(host, (w) => w.exec("DROP TRIGGER messages_fts_insert"));
      expect(initializeSchema(host).index.restored).toBe("detached");
      expect(detach(host)).toBe(true);
      expect(searchTriggers(host)).toEqual([]);
      const opens = host.transactions.length;
      expect(initializeSchema(host).index).toMatchObject({ restored: undefined, deferred: { reason: "locked" } });
      expect(host.transactions.slice(opens)).toEqual(["note that the search index stays stale"]);
      expect(searchTriggers(host)).toEqual([]);
    },
  );

  it("SCH-08 refills only the word index of an inline file where the trigram tokenizer is absent", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout: 0 });
    write(host, "before");
    change(host, (w) => w.exec("DROP TRIGGER messages_fts_insert"));
    write(host, "between");
    const report = initializeSchema(hidingHost(host, WORD_ONLY), { sqliteCapabilities: WORD_ONLY });
    expect(report).toMatchObject({ problems: [], index: { restored: "rebuilt" } });
    expect(hits(host, "messages_fts", "between")).toEqual([2]);
    expect(searchTriggers(host)).toHaveLength(3);
    expect(initializeSchema(host).index.restored).toBe("rebuilt");
    expect(hits(host, "messages_fts_trigram", "etwee")).toEqual([2]);
  });

  it("SCH-05 detaches a mixed file whose triggers were gone: nobody knows what its index holds", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout: "content-only" });
    host.db.exec("CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram')");
    expect(initializeSchema(host)).toMatchObject({ layout: "mixed", index: { restored: "detached" } });
    expect(detach(host)).toBe(true);
    expect(initializeSchema(host)).toMatchObject({ layout: 3, index: { restored: "recovered" } });
  });

  it("SEA-09 gives the right to rebuild back", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout: 0 });
    change(host, (w) => w.exec("DROP TRIGGER messages_fts_insert"));
    expect(initializeSchema(host).index.restored).toBe("rebuilt");
    expect(host.rebuilds).toEqual({ asked: 1, released: 1 });
  });

  it("SCH-08 creates no trigger while the index is stale and may not be replaced, and drops those that are there", () => {
    using host = openTestHost(":memory:", { admit: false });
    initializeSchema(host);
    change(host, (w) => {
      w.run("INSERT INTO state_meta VALUES ('fts_stale', '1')");
      w.exec("DROP TRIGGER messages_fts_insert");
    });
    const report = initializeSchema(host);
    expect(report.index.droppedTriggers).toHaveLength(5);
    expect(report.index.restored).toBeUndefined();
    expect(searchTriggers(host)).toEqual([]);
    write(host, "a word");
    expect(initializeSchema(host).index).toMatchObject({ droppedTriggers: [], restored: undefined });
  });

  it("SCH-11 empties and refills an external index that has lost all its rows", () => {
    using host = openTestHost(":memory:");
    initializeSchema(host);
    write(host, "a word");
    host.db.exec("INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')");
    expect(initializeSchema(host).index).toMatchObject({ restored: "reset", pending: false });
    expect(hits(host, "messages_fts", "word")).toEqual([1]);
    expectIntact(host, "messages_fts", "messages_fts_trigram");
  });

  it("SCH-05 creates the index that an interrupted upgrade announced", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 30, layout: "none" });
    write(host, "a word");
    change(host, (w) => {
      w.exec("CREATE TABLE fts_v22_trash_messages_fts_docsize (id INTEGER PRIMARY KEY, sz BLOB)");
      w.run("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '1'), ('fts_rebuild_progress', '1')");
    });
    expect(initializeSchema(host)).toMatchObject({ layout: 3, index: { restored: "created", pending: false } });
    expect(hits(host, "messages_fts", "word")).toEqual([1]);
    expect(host.get("SELECT value FROM state_meta WHERE key = 'fts_storage_version'")).toBeUndefined();
  });
});

function detach(host: TestHost): boolean {
  return host.get("SELECT 1 AS one FROM state_meta WHERE key = 'fts_stale'") !== undefined;
}
