import { copyFileSync } from "node:fs";
import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";
import { probeCapabilities } from "@hermes/state-schema";
import { tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { judgePatient } from "../src/apply/judge-patient.js";
import { operate } from "../src/apply/operate.js";
import { promote } from "../src/apply/promote.js";
import { proveRows } from "../src/apply/rows-proof.js";
import { compact, RowsChanged, treatProven } from "../src/apply/treat-proven.js";
import { openExclusiveGuard } from "../src/index.js";
import { openSchema } from "../src/strategies/schema-rows.js";
import { STRATEGIES } from "../src/strategies/strategies.js";
import type { Strategy } from "../src/strategies/strategy.js";
import { RECIPES } from "./recipes/all-recipes.js";
import { buildSoundStore, readManifest } from "./recipes/sound-store.js";
import type { Manifest } from "./recipes/sound-store.js";
import { dropLastChild, edit, rootOf } from "./recipes/spoil.js";

let shelf: TempDir;
let manifest: Manifest;
let folder: TempDir;
let path: string;
beforeAll(() => {
  shelf = tempDir("sound");
  manifest = buildSoundStore(shelf.file("sound.db"));
});
afterAll(() => {
  shelf[Symbol.dispose]();
});
beforeEach(() => {
  folder = tempDir("strategies");
  path = folder.file("state.db");
  copyFileSync(shelf.file("sound.db"), path);
});
afterEach(() => {
  folder[Symbol.dispose]();
});

async function spoil(number: string): Promise<void> {
  await RECIPES.find((recipe) => recipe.number === number)!.damage(path);
}

function ask<T>(sql: string): T {
  const database = new Database(path);
  try {
    return database.prepare(sql).pluck().get() as T;
  } finally {
    database.close();
  }
}

/** A planted violation: a strategy that heals by losing what it does not understand. */
function planted(statement: string): Strategy {
  return {
    name: "reindex_btree",
    diagnose: () => ["anything"],
    treat(connection) {
      connection.exec(statement);
      return { changes: [{ kind: "rebuilt", object: "messages", detail: "" }], leavesPages: false };
    },
  };
}

it("REP-07 tries the strategies from the least destructive on", () => {
  expect(STRATEGIES.map(({ name }) => name)).toEqual([
    "rebuild_fts",
    "reindex_btree",
    "recreate_index",
    "dedup_schema",
    "drop_fts_rebuild",
    "reclaim_pages",
  ]);
});

it.each([
  "DELETE FROM messages WHERE id = 17",
  "UPDATE messages SET content = content || ' ' WHERE id = 18",
  "UPDATE messages SET timestamp = timestamp + 0.001 WHERE id = 17",
  "UPDATE sessions SET title = NULL WHERE rowid = 3",
  "DELETE FROM state_meta WHERE key = 'note'",
  "DROP TABLE gateway_routing",
])("REP-06 a strategy that does this is rolled back, and nothing is promoted: %s", (statement) => {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  const rows = proveRows(connection);
  const work = (): unknown => connection.transaction(() => treatProven(connection, planted(statement), [], rows));
  expect(work).toThrow(RowsChanged);
  connection.close();
  expect(readManifest(path)).toEqual(manifest);
  expect(ask("SELECT value FROM state_meta WHERE key = 'note'")).toBe("kept");
});

it("REP-06 proves tables of other programs too, with a key of their own and none", () => {
  edit(path, (database) => {
    database.exec(`
      CREATE TABLE theirs (a TEXT, b INTEGER, c BLOB, PRIMARY KEY (a, b)) WITHOUT ROWID;
      CREATE TABLE loose (x);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO theirs SELECT char(97 + i % 3), i, x'00ff' FROM n;
      INSERT INTO loose SELECT b FROM theirs;`);
  });
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  const rows = proveRows(connection);
  expect([rows.unreadable, rows.tables["theirs"]?.rows, rows.tables["loose"]?.rows]).toEqual([{}, 1200, 1200]);
  expect(compact(connection, rows)).toBe(true);
  for (const statement of ["DELETE FROM theirs WHERE b = 700", "UPDATE loose SET x = -x WHERE x = 9"]) {
    const work = (): unknown => connection.transaction(() => treatProven(connection, planted(statement), [], rows));
    expect(work).toThrow(RowsChanged);
  }
});

it("REP-06 markers of the search index are not rows of anybody's", () => {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  const rows = proveRows(connection);
  connection.run("INSERT INTO state_meta (key, value) VALUES ('fts_stale', '1')");
  expect(proveRows(connection)).toEqual(rows);
});

it("REP-06 work that the live file answers otherwise than its copy is rolled back", async () => {
  await spoil("2d");
  const copy = folder.file("copy.db");
  copyFileSync(path, copy);
  const { kind, steps, rows } = await operate(copy, {});
  expect(kind).toBe("healed");
  edit(path, (database) => database.exec("UPDATE sqlite_master SET sql = '(' WHERE name = 'messages_fts_update'"));
  using guard = openExclusiveGuard(path, { unsafe: true });
  expect(() => promote(guard, path, steps, rows!)).toThrow(/something else/);
  guard.close();
  // Both triggers are as they were: nothing of the treatment stayed.
  expect((await operate(path, {})).steps[0]?.changes.map(({ object }) => object)).toContain("messages_fts_update");
});

it("REP-06 never compacts a file of which a part of the schema cannot be read", async () => {
  await spoil("2b");
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  const rows = proveRows(connection);
  const pages = connection.pragma("page_count");
  expect(compact(connection, rows)).toBe(false);
  connection.pragma("writable_schema=ON");
  openSchema(connection);
  expect(connection.pragma("page_count")).toBe(pages);
});

it("REP-07 tells other connections that the schema is another one", async () => {
  await spoil("3");
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  const before = Number(connection.pragma("schema_version"));
  const rows = proveRows(connection);
  const dedup = STRATEGIES.find(({ name }) => name === "dedup_schema")!;
  connection.transaction(() => treatProven(connection, dedup, [], rows));
  connection.close();
  expect(ask<number>("PRAGMA schema_version")).toBeGreaterThan(before);
});

it("REP-06 a page of rows that hangs on no tree is not taken for an index that lists too much", () => {
  dropLastChild(path, rootOf(path, "messages"));
  const judgement = judgePatient(path);
  expect(judgement.kind).toBe("rows-damaged");
  expect(judgement.kind === "rows-damaged" ? judgement.why : []).toEqual([
    expect.stringMatching(/^\d+ rows of messages are listed by idx_messages_\w+ and idx_messages_\w+/),
  ]);
});

it("REP-07 one index that lists too much is stale, and is built again", async () => {
  let entry: unknown[] = [];
  edit(path, (database) => {
    const sql = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'idx_messages_session'";
    entry = database.prepare(sql).raw().get() as unknown[];
    database.exec("DELETE FROM sqlite_master WHERE name = 'idx_messages_session'");
  });
  edit(path, (database) => database.exec("DELETE FROM messages WHERE id = 5"));
  edit(path, (database) => database.prepare("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)").run(...entry));
  const operation = await operate(path, {});
  expect([operation.kind, operation.steps.map(({ strategy }) => strategy)]).toEqual(["healed", ["reindex_btree"]]);
});

it("REP-07 leaves a unique index away that rows contradict, and the next writing open sorts it out", async () => {
  edit(path, (database) => {
    database.exec("DELETE FROM sqlite_master WHERE name = 'idx_sessions_title_unique'");
  });
  edit(path, (database) => {
    database.exec("UPDATE sessions SET title = 'the same' WHERE rowid < 3");
    const root = database
      .prepare("SELECT rootpage FROM sqlite_master WHERE name = 'idx_sessions_source'")
      .pluck()
      .get();
    database
      .prepare("INSERT INTO sqlite_master VALUES ('index', 'idx_sessions_title_unique', 'sessions', ?, '(')")
      .run(root);
  });
  const operation = await operate(path, {});
  expect(operation.kind).toBe("healed");
  const changes = operation.steps.flatMap((step) => step.changes);
  expect(changes).toContainEqual(expect.objectContaining({ kind: "lost", object: "idx_sessions_title_unique" }));
  using store = openStateStore({ path });
  expect(store.sessions.count({})).toBeGreaterThan(0);
  store.close();
  expect(ask("SELECT COUNT(*) FROM sqlite_master WHERE name = 'idx_sessions_title_unique'")).toBe(1);
});

it("REP-07 keeps the index of a peer's own tokenizer while the others are made again", async () => {
  edit(path, (database) => {
    database.exec(`
      CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, content='');
      INSERT INTO messages_fts_cjk(rowid, content) VALUES (1, 'theirs');`);
  });
  await spoil("8d");
  const operation = await operate(path, {});
  expect([operation.kind, operation.steps.map(({ strategy }) => strategy)]).toEqual(["healed", ["drop_fts_rebuild"]]);
  expect(ask("SELECT COUNT(*) FROM messages_fts_cjk WHERE messages_fts_cjk MATCH 'theirs'")).toBe(1);
});

it("REP-07 diagnoses nothing on a sound file", () => {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  const capabilities = probeCapabilities(connection);
  for (const strategy of STRATEGIES) {
    expect([strategy.name, strategy.diagnose({ connection, findings: [], capabilities })]).toEqual([
      strategy.name,
      undefined,
    ]);
  }
});
