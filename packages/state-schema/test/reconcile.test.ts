import { describe, expect, it } from "vitest";
import { initializeSchema, probeSchema, type SchemaHost, type Writer } from "../src/index.js";
import { addMessage, addSession, buildOldFile, change } from "./old-file.js";
import { openTestHost } from "./test-host.js";

describe("SCH-02 reconciliation", () => {
  it.each([2, 4, 6, 8, 11, 14, 16, 20, 22, 23, 24, 25, 25.1, 26, 30])(
    "SCH-02 completes a file of version %s",
    (version) => {
      using host = openTestHost(":memory:");
      buildOldFile(host, { version, layout: "none" });
      const report = initializeSchema(host);
      expect(report.problems).toEqual([]);
      expect(probeSchema(host)).toEqual({ current: true, missingTables: [], missingColumns: [] });
      expect(report.versionAfter).toBe(30);
    },
  );

  it("SCH-02 adds missing columns without a version gate", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 26, layout: 3 });
    change(host, (w) => w.run("UPDATE schema_version SET version = 30"));
    const report = initializeSchema(host);
    expect(report.addedColumns).toContain("sessions.auto_archived");
    expect(report.addedColumns).toContain("messages.message_uid");
    expect(probeSchema(host).current).toBe(true);
  });

  it("SCH-02 gives old rows the default of a new column", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 2, layout: "content-only" });
    change(host, (w) => {
      addSession(w, "s");
      addMessage(w, "s");
    });
    initializeSchema(host);
    expect(host.get("SELECT active, compacted, observed, display_order FROM messages")).toEqual({
      active: 1,
      compacted: 0,
      observed: 0,
      display_order: null,
    });
    expect(host.get("SELECT archived, hidden, title FROM sessions")).toEqual({ archived: 0, hidden: 0, title: null });
  });

  it("SCH-02 takes a column that a sibling added first for success", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 26, layout: 3 });
    const racing = racingHost(host, "ALTER TABLE sessions ADD COLUMN tool_names TEXT", (w, sql) => w.exec(sql));
    const report = initializeSchema(racing);
    expect(report.problems).toEqual([]);
    expect(probeSchema(host).current).toBe(true);
  });

  it("SCH-02 reports what cannot be added and leaves the rest of the file complete", () => {
    using host = openTestHost(":memory:");
    host.db.exec("CREATE TABLE system_prompts (hash TEXT PRIMARY KEY)");
    host.db.exec("INSERT INTO system_prompts VALUES ('x')");
    const report = initializeSchema(host);
    expect(report.problems.map(({ step }) => step)).toEqual(["add column system_prompts.prompt"]);
    expect(probeSchema(host)).toEqual({
      current: false,
      missingTables: [],
      missingColumns: [{ table: "system_prompts", column: "prompt" }],
    });
  });

  it("GND-03 ends the open when the disk is full, and leaves the file as it was", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 26, layout: 3 });
    const objects = host.all("SELECT name, sql FROM sqlite_master");
    const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    const failing = racingHost(host, "ALTER TABLE messages ADD COLUMN message_uid TEXT", () => {
      throw full;
    });
    expect(() => initializeSchema(failing)).toThrow(full);
    expect(host.all("SELECT name, sql FROM sqlite_master")).toEqual(objects);
  });

  it("GND-01 leaves unknown columns, tables, triggers, indexes and meta keys alone", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 23, layout: 1 });
    change(host, (w) => {
      w.exec("ALTER TABLE sessions ADD COLUMN plugin_data TEXT DEFAULT 'p'");
      w.exec("CREATE TABLE plugin_table (x)");
      w.exec("CREATE TRIGGER plugin_trigger AFTER INSERT ON plugin_table BEGIN SELECT 1; END");
      w.exec("CREATE INDEX plugin_index ON sessions(plugin_data)");
      w.run("INSERT INTO state_meta VALUES ('plugin:key', 'kept')");
      addSession(w, "s", { plugin_data: "mine" });
    });
    const unknown = (): unknown => [
      host.all("SELECT name, sql FROM sqlite_master WHERE name LIKE 'plugin%' ORDER BY name"),
      host.get("SELECT value FROM state_meta WHERE key = 'plugin:key'"),
      host.get("SELECT plugin_data FROM sessions"),
    ];
    const before = unknown();
    expect(initializeSchema(host).problems).toEqual([]);
    expect(unknown()).toEqual(before);
  });
});

describe("GND-01 a file of a newer program", () => {
  it("GND-01 is opened as it is and never restamped", () => {
    using host = openTestHost(":memory:");
    initializeSchema(host);
    change(host, (w) => {
      w.run("UPDATE schema_version SET version = 33");
      w.exec("DROP INDEX idx_sessions_started");
      w.exec("DROP TRIGGER messages_display_identity_delete");
      w.run("UPDATE state_meta SET value = '9' WHERE key = 'fts_storage_version'");
      w.run("DELETE FROM state_meta WHERE key = 'db_file_generation'");
    });
    const opens = host.transactions.length;
    const report = initializeSchema(host);
    expect(report).toMatchObject({ newer: true, versionBefore: 33, versionAfter: 33, migrated: [], problems: [] });
    expect(host.transactions.slice(opens)).toEqual([]);
  });

  it("SCH-02 still gets the columns that statements name", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 25, layout: 1 });
    change(host, (w) => w.run("UPDATE schema_version SET version = 33"));
    const report = initializeSchema(host);
    expect(report).toMatchObject({ newer: true, versionAfter: 33, addedIndexes: [], migrated: [] });
    expect(probeSchema(host).current).toBe(true);
  });
});

/** A host on which something happens right before a statement of the schema work. */
function racingHost(host: SchemaHost, statement: string, happen: (w: Writer, sql: string) => void): SchemaHost {
  const raced = (w: Writer): Writer => ({
    ...w,
    exec: (sql) => {
      if (sql.startsWith(statement)) happen(w, sql);
      w.exec(sql);
    },
  });
  return { ...host, transaction: (label, fn) => host.transaction(label, (w) => fn(raced(w))) };
}
