import { describe, expect, it } from "vitest";
import { detachFts, dropUnservedTriggers, initializeSchema } from "../src/index.js";
import { addMessage, addSession, buildOldFile, change } from "./old-file.js";
import { openTestHost, type TestHost } from "./test-host.js";

/** A file on which a peer with the native tokenizer has built its index: no statement on the table works here. */
function cjkFile(version: number, layout: 0 | 3): TestHost {
  const host = openTestHost(":memory:");
  buildOldFile(host, { version, layout });
  change(host, (w) => {
    addSession(w, "s");
    addMessage(w, "s", { content: "before" });
    w.exec(`CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, tool_name, tool_calls,
      content='messages_fts_cjk_src', content_rowid='id')`);
    w.exec(`CREATE VIEW messages_fts_cjk_src AS SELECT id, content, tool_name, tool_calls
      FROM messages
      WHERE role <> 'tool'`);
    w.exec(`CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages WHEN new.role <> 'tool' BEGIN
      INSERT INTO messages_fts_cjk(rowid, content) VALUES (new.id, new.content); END`);
    w.exec(`CREATE TRIGGER messages_fts_cjk_delete AFTER DELETE ON messages WHEN old.role <> 'tool' BEGIN
      INSERT INTO messages_fts_cjk(messages_fts_cjk, rowid, content) VALUES ('delete', old.id, old.content); END`);
    w.exec(`CREATE TRIGGER messages_fts_cjk_update AFTER UPDATE ON messages BEGIN
      INSERT INTO messages_fts_cjk(rowid, content) VALUES (new.id, new.content); END`);
  });
  host.db.unsafeMode(true);
  host.db.pragma("writable_schema = ON");
  host.db.exec(`UPDATE sqlite_master SET sql = replace(sql, 'content_rowid=''id''', 'content_rowid=''id'',
    tokenize=''cjk_unicode61''')
    WHERE name = 'messages_fts_cjk'`);
  host.db.pragma("writable_schema = RESET");
  return host;
}

describe.each([
  [30, 3],
  [14, 0],
] as const)("SCH-09 T13 a version-%s file with a live CJK index", (version, layout) => {
  it("SCH-09 T13 refuses messages before it is opened here, takes them afterwards", () => {
    using host = cjkFile(version, layout);
    expect(() => change(host, (w) => addMessage(w, "s"))).toThrow(/no such tokenizer: cjk_unicode61/);
    const report = initializeSchema(host);
    expect(report.problems).toEqual([]);
    expect(report.index).toMatchObject({ cjkMarkedStale: true, restored: undefined });
    expect([...report.index.droppedTriggers].sort()).toEqual([
      "messages_fts_cjk_delete",
      "messages_fts_cjk_insert",
      "messages_fts_cjk_update",
    ]);
    expect(host.get("SELECT value FROM state_meta WHERE key = 'fts_cjk_stale'")).toEqual({ value: "1" });
    expect(host.get("SELECT 1 AS kept FROM sqlite_master WHERE name = 'messages_fts_cjk'")).toEqual({ kept: 1 });
    change(host, (w) => addMessage(w, "s", { content: "after" }));
    expect(host.all("SELECT content FROM messages ORDER BY id")).toEqual([{ content: "before" }, { content: "after" }]);
  });

  it("SCH-09 never gives the triggers back at a later open", () => {
    using host = cjkFile(version, layout);
    initializeSchema(host);
    const opens = host.transactions.length;
    const again = initializeSchema(host);
    expect(again.index).toMatchObject({ droppedTriggers: [], cjkMarkedStale: false });
    expect(host.transactions.slice(opens)).toEqual([]);
  });
});

it("SCH-09 leaves the breadcrumb before the triggers go, in one transaction", () => {
  using host = cjkFile(30, 3);
  const statements: string[] = [];
  initializeSchema({
    ...host,
    transaction: (label, fn) =>
      host.transaction(label, (w) =>
        fn({
          ...w,
          run: (sql, params) => {
            statements.push(`${sql} ${JSON.stringify(params)}`);
            return w.run(sql, params);
          },
          exec: (sql) => {
            statements.push(sql);
            w.exec(sql);
          },
        }),
      ),
  });
  const breadcrumb = statements.findIndex((sql) => sql.includes("fts_cjk_stale"));
  const drop = statements.findIndex((sql) => sql.includes("DROP TRIGGER IF EXISTS messages_fts_cjk"));
  expect(breadcrumb).toBeGreaterThanOrEqual(0);
  expect(drop).toBeGreaterThan(breadcrumb);
});

it("SCH-09 an open handle sheds triggers that appeared later, and only those", () => {
  using host = cjkFile(30, 3);
  const capable = { fts5: true, trigram: true };
  expect(() => change(host, (w) => addMessage(w, "s"))).toThrow(/no such tokenizer/);
  expect(change(host, (w) => dropUnservedTriggers(w, capable))).toHaveLength(3);
  change(host, (w) => addMessage(w, "s", { content: "after" }));
  expect(host.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'after'")).toHaveLength(1);
  expect(host.all("SELECT key FROM state_meta")).toEqual([{ key: "fts_cjk_stale" }]);
  expect(change(host, (w) => dropUnservedTriggers(w, capable))).toEqual([]);
});

it("SCH-09 works on a file of a newer program too: without it no message could be stored", () => {
  using host = cjkFile(30, 3);
  change(host, (w) => w.run("UPDATE schema_version SET version = 34"));
  expect(initializeSchema(host)).toMatchObject({ newer: true, versionAfter: 34, index: { cjkMarkedStale: true } });
  change(host, (w) => addMessage(w, "s", { content: "after" }));
});

it.each([
  ["sound", undefined],
  ["one that cannot be opened", "DELETE FROM sqlite_master WHERE name = 'messages_fts_config'"],
])("SEA-11 SCH-09 a stale word index, %s, is replaced beside a CJK index that stays as it is", (_, damage) => {
  using host = cjkFile(30, 3);
  initializeSchema(host);
  change(host, (w) => {
    detachFts(w);
    w.run("INSERT INTO state_meta (key, value) VALUES ('fts_cjk_rebuild_high_water', '1')");
    if (damage !== undefined) w.editSchema(damage);
  });
  const kept = (): unknown => ({
    objects: host.all("SELECT * FROM sqlite_master WHERE name LIKE 'messages\\_fts\\_cjk%' ESCAPE '\\'"),
    keys: host.all("SELECT key, value FROM state_meta WHERE key LIKE 'fts\\_cjk%' ESCAPE '\\' ORDER BY key"),
  });
  const before = kept();
  expect(initializeSchema(host)).toMatchObject({ problems: [], index: { restored: "recovered" } });
  expect(kept()).toEqual(before);
  expect(host.all("SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH 'before'")).toEqual([{ id: 1 }]);
});
