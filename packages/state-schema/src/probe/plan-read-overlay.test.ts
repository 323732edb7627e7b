import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { addMessage, addSession, buildOldFile, change } from "../../test/old-file.js";
import { tempFolder } from "../../test/temp-files.js";
import { openTestHost, readerOf } from "../../test/test-host.js";
import { initializeSchema } from "../init/initialize-schema.js";
import { columnNames } from "../tables/column-names.js";
import { REQUIRED_TABLES } from "../tables/tables.js";
import { planReadOverlay } from "./plan-read-overlay.js";

/** An old file, opened so that it cannot be written, with the overlay on. */
function overlaid(
  version: number,
  layout: "content-only" | 0 | 1,
): { db: Database.Database; [Symbol.dispose]: () => void } {
  const folder = tempFolder();
  const path = folder.file("state.db");
  {
    using host = openTestHost(path);
    buildOldFile(host, { version, layout });
    change(host, (w) => {
      if (version < 14) w.exec("ALTER TABLE messages ADD COLUMN active INTEGER");
      w.exec("ALTER TABLE sessions ADD COLUMN \"their \"\"own\"\"\" TEXT DEFAULT 'kept'");
      addSession(w, "s");
      for (let n = 0; n < 20; n += 1) addMessage(w, "s", { content: `word${n}` });
    });
  }
  const db = new Database(path, { readonly: true });
  for (const sql of planReadOverlay(readerOf(db))) db.exec(sql);
  return {
    db,
    [Symbol.dispose]: () => {
      db.close();
      folder[Symbol.dispose]();
    },
  };
}

describe.each([
  [2, "content-only"],
  [14, 0],
  [25, 1],
] as const)("SCH-10 a read-only version-%s file", (version, layout) => {
  it("SCH-10 answers every column of the newest shape, absent ones as their defaults", () => {
    using file = overlaid(version, layout);
    for (const table of REQUIRED_TABLES) {
      const columns = columnNames(table).map((name) => `t."${name}"`);
      expect(file.db.prepare(`SELECT ${columns.join(", ")} FROM ${table.name} AS t LIMIT 0`).all()).toEqual([]);
    }
    expect(file.db.prepare("SELECT COUNT(*) FROM messages WHERE active = 1 AND compacted = 0").pluck().get()).toBe(20);
    const session = file.db.prepare("SELECT archived, hidden, tool_names, git_metadata_generation FROM sessions").get();
    expect(session).toEqual({ archived: 0, hidden: 0, tool_names: null, git_metadata_generation: 0 });
    expect(file.db.prepare("SELECT s.rowid FROM sessions AS s").pluck().get()).toBe(1);
  });

  it("GND-01 SCH-10 passes columns of other programs through", () => {
    using file = overlaid(version, layout);
    expect(file.db.prepare("SELECT s.\"their \"\"own\"\"\" FROM sessions AS s").pluck().get()).toBe("kept");
  });

  it("SCH-10 keeps searches and index use", () => {
    using file = overlaid(version, layout);
    const search = `SELECT m.id, s.hidden
      FROM messages_fts AS f
      JOIN messages AS m ON m.id = f.rowid
      JOIN sessions AS s ON s.id = m.session_id
      WHERE messages_fts MATCH ?`;
    expect(file.db.prepare(search).all("word7")).toEqual([{ id: 8, hidden: 0 }]);
    const plan = (sql: string): string =>
      file.db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => (row as { detail: string }).detail)
        .join("; ");
    const page = plan(`SELECT id, content, active
      FROM messages
      WHERE session_id = 's'
      AND active = 1
      AND id > 3
      ORDER BY id LIMIT 5`);
    expect(page).toMatch(/SEARCH main\.messages USING INDEX idx_messages_session_id/);
    expect(page).not.toMatch(/SCAN|MATERIALIZE|CO-ROUTINE|TEMP B-TREE/);
    expect(plan("SELECT started_at FROM sessions WHERE id = 's'")).toMatch(/SEARCH main\.sessions USING INDEX/);
    expect(plan(search.replace("?", "'word7'"))).not.toMatch(/MATERIALIZE|CO-ROUTINE/);
  });
});

it("SCH-10 lays nothing over an up-to-date file", () => {
  using host = openTestHost(":memory:");
  initializeSchema(host);
  expect(planReadOverlay(host)).toEqual([]);
});

it("SCH-10 changes no byte of the file", () => {
  using file = overlaid(2, "content-only");
  expect(file.db.prepare("SELECT name FROM main.sqlite_master WHERE type = 'view'").all()).toEqual([]);
  expect(() => file.db.exec("INSERT INTO main.sessions (id, source, started_at) VALUES ('x', 'cli', 1)")).toThrow(
    /readonly/,
  );
});
