import { openMaintenanceConnection } from "@hermes/state-core";
import { tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { checkConnection, checkStore } from "../src/index.js";
import type { CheckOutcome } from "../src/index.js";
import { buildSoundStore } from "./recipes/sound-store.js";
import { edit } from "./recipes/spoil.js";
import { bundleState } from "./support/bundle-state.js";

const lines = ({ findings }: CheckOutcome): string[] =>
  findings.map(({ severity, code, object }) => `${severity} ${code} ${object}`);

/** A damage of one search index, and exactly what each level says about it. */
interface Row {
  readonly what: string;
  readonly sql: string;
  readonly quick: readonly string[];
  readonly full?: readonly string[];
}

const MATRIX: readonly Row[] = [
  {
    what: "a structure record written over: every word finds nothing, without an error",
    sql: "UPDATE {t}_data SET block = x'00000000000000' WHERE id = 10",
    quick: ["damage index-terms {t}", "damage index-write {t}"],
  },
  {
    what: "a structure record that is none",
    sql: "UPDATE {t}_data SET block = x'0000000001010101' WHERE id = 10",
    quick: ["damage index {t}", "damage index-unreadable {t}", "damage index-write {t}"],
  },
  {
    what: "segments deleted: reads fail, writes go on",
    sql: "DELETE FROM {t}_data WHERE id > 10",
    quick: ["damage index {t}", "damage index-unreadable {t}"],
  },
  {
    what: "segments emptied",
    sql: "UPDATE {t}_data SET block = zeroblob(length(block)) WHERE id > 10",
    quick: ["damage index {t}", "damage index-unreadable {t}"],
  },
  {
    what: "stale rows of the segment index: only a flushed write fails",
    sql: `INSERT OR IGNORE INTO {t}_idx(segid, term, pgno)
      WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 200) SELECT v, x'', 1 FROM n`,
    quick: ["damage index-write {t}"],
  },
  {
    what: "a message the index does not know",
    sql: "DELETE FROM {t}_docsize WHERE id = 7",
    quick: ["damage index-coverage {t}"],
  },
  {
    what: "an entry without a message",
    sql: "INSERT INTO {t}_docsize (id, sz) VALUES (99999, x'0101')",
    quick: ["damage index-coverage {t}"],
  },
  { what: "totals lost", sql: "DELETE FROM {t}_data WHERE id = 1", quick: ["damage index-write {t}"] },
  {
    what: "a part of the index gone",
    sql: "DROP TABLE {t}_idx",
    quick: ["damage index {t}", "damage index-parts {t}", "damage index-write {t}"],
  },
];

describe("the detection matrix of search indexes", () => {
  for (const table of ["messages_fts", "messages_fts_trigram"]) {
    it.each(MATRIX)(`REP-01 finds in ${table} $what`, async ({ sql, quick, full = quick }) => {
      using home = tempHome();
      buildSoundStore(home.statePath);
      edit(home.statePath, (db) => db.exec(sql.replaceAll("{t}", table)));
      const before = bundleState(home.statePath);
      const named = (wanted: readonly string[]): string[] => wanted.map((line) => line.replaceAll("{t}", table));
      expect(lines(await checkStore(home.statePath))).toEqual(named(quick));
      const report = await checkStore(home.statePath, { level: "full" });
      expect([report.verdict, lines(report)]).toEqual(["damaged", named(full)]);
      expect(bundleState(home.statePath)).toEqual(before);
    });
  }

  it("REP-01 finds postings of other text, which only the comparison with the rows can see", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    edit(home.statePath, (db) =>
      db.exec(`INSERT INTO messages_fts(messages_fts, rowid, content, tool_name, tool_calls)
        SELECT 'delete', id, content, tool_name, tool_calls FROM messages_fts_src WHERE id = 5;
        INSERT INTO messages_fts(rowid, content) VALUES (5, 'words that were never there')`),
    );
    const quick = await checkStore(home.statePath);
    expect([quick.verdict, lines(quick)]).toEqual(["healthy", []]);
    expect(quick.notChecked.join()).toContain("every term of the search indexes against every row");
    const full = await checkStore(home.statePath, { level: "full" });
    expect([full.verdict, lines(full)]).toEqual(["damaged", ["damage index-content messages_fts"]]);
  });

  it("REP-01 tells a damaged trigram index from that of another library in a large file too", () => {
    using home = tempHome();
    buildSoundStore(home.statePath, { journal: "delete" });
    const ask = (): string[] => {
      using writer = openMaintenanceConnection(home.statePath);
      using r = openMaintenanceConnection(home.statePath, { readonly: true });
      return lines(checkConnection(r, { level: "full", writer, shared: false, atOnceBytes: 0 }));
    };
    expect(ask()).toEqual([]);
    edit(home.statePath, (db) => db.exec("DELETE FROM messages_fts_trigram_data WHERE id > 10 AND id % 3 = 0"));
    expect(ask()).toContain("damage index messages_fts_trigram");
  });

  it("REP-01 takes trigrams of structured content that an older library wrote for an index to rebuild", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    // What SQLite 3.40 leaves behind for such a row: it reads the text up to the NUL only.
    edit(home.statePath, (db) =>
      db.exec(`INSERT INTO messages_fts_trigram(messages_fts_trigram, rowid, content, tool_name)
        SELECT 'delete', id, content, tool_name FROM messages_fts_trigram_src WHERE instr(content, char(0)) > 0;
        INSERT INTO messages_fts_trigram(rowid, content, tool_name)
        SELECT id, '', tool_name FROM messages_fts_trigram_src WHERE instr(content, char(0)) > 0`),
    );
    const report = await checkStore(home.statePath, { level: "full" });
    expect([report.verdict, lines(report)]).toEqual(["healthy", ["rebuild index-other-library messages_fts_trigram"]]);
  });

  it("REP-01 takes entries of sessions that moved out of the trigram index for an index to rebuild", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    edit(home.statePath, (db) => db.exec("UPDATE sessions SET source = 'cron' WHERE rowid = 3"));
    const report = await checkStore(home.statePath, { level: "full" });
    expect([report.verdict, lines(report)]).toEqual(["healthy", ["rebuild index-moved-rows messages_fts_trigram"]]);
  });

  it.each([
    [
      "detached and stale, whatever state it is in",
      `INSERT INTO state_meta (key, value) VALUES ('fts_stale', '1'); DROP TRIGGER messages_fts_insert;
       DELETE FROM messages_fts_data WHERE id > 10`,
      ["note index-stale messages_fts"],
    ],
    [
      "waiting for its backfill",
      `INSERT INTO state_meta (key, value) VALUES ('fts_rebuild_high_water', '40'), ('fts_rebuild_progress', '20');
       DELETE FROM messages_fts_docsize WHERE id BETWEEN 21 AND 40;
       DELETE FROM messages_fts_trigram_docsize WHERE id BETWEEN 21 AND 40`,
      ["note index-pending messages_fts"],
    ],
    [
      "without its triggers",
      "DROP TRIGGER messages_fts_trigram_insert; DELETE FROM messages_fts_trigram_docsize WHERE id = 1",
      ["note index-detached messages_fts_trigram", "note index-coverage messages_fts_trigram"],
    ],
  ])("REP-01 never takes for damage an index that is %s", async (_what, sql, wanted) => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    edit(home.statePath, (db) => db.exec(sql));
    const report = await checkStore(home.statePath);
    expect([report.verdict, lines(report)]).toEqual(["healthy", wanted]);
  });

  it("REP-01 SCH-09 never takes the index of a missing tokenizer for damage, nor the writes it makes fail", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    edit(home.statePath, (db) => {
      db.exec(`CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content);
        INSERT INTO messages_fts_cjk(rowid, content) SELECT id, content FROM messages;
        CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN
          INSERT INTO messages_fts_cjk(rowid, content) VALUES (new.id, new.content); END;
        UPDATE sqlite_master SET sql = replace(sql, 'fts5(content', 'fts5(content, tokenize=''native_cjk''')
        WHERE name = 'messages_fts_cjk'`);
    });
    for (const level of ["quick", "full"] as const) {
      const report = await checkStore(home.statePath, { level });
      expect([level, report.verdict, lines(report).filter((line) => !line.startsWith("note capability"))]).toEqual([
        level,
        "healthy",
        [],
      ]);
      expect(report.checked.join()).toContain("whether a message can be written");
    }
  });
});
