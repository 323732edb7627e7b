import { expect, it } from "vitest";
import { buildOldFile, change } from "../../../test/old-file.js";
import { openTestHost, type TestHost } from "../../../test/test-host.js";
import { stepTeardown, type TeardownStep, TEARDOWN_CHUNK } from "./step-teardown.js";

const step = (host: TestHost): TeardownStep => change(host, (w) => stepTeardown(w));

function openWith(...statements: readonly string[]): TestHost {
  const host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout: "none" });
  for (const sql of statements) host.db.exec(sql);
  return host;
}

const rows = (host: TestHost, table: string): unknown => host.db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get();
const marker = (host: TestHost): unknown[] =>
  host.db.prepare("SELECT key, value FROM state_meta WHERE key LIKE 'fts_teardown%'").raw().all();
const tables = (host: TestHost): unknown[] =>
  host.db.prepare("SELECT name FROM sqlite_master WHERE name LIKE 'fts\\_v22%' ESCAPE '\\' ORDER BY 1").pluck().all();

const COUNT = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) ";

it("SEA-12 takes 500 rows a step from the lowest key on, keys below 1 included, and tells how far it came", () => {
  const table = "fts_v22_trash_messages_fts_data";
  using host = openWith(
    `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, block BLOB)`,
    `INSERT INTO ${table} ${COUNT} SELECT i - 300, x'00' FROM n`,
  );
  expect(step(host)).toBe("more");
  expect(rows(host, table)).toBe(1200 - TEARDOWN_CHUNK);
  expect(marker(host)).toEqual([[`fts_teardown_${table}_progress`, "200"]]);
  expect([step(host), step(host), step(host)]).toEqual(["more", "done", "none"]);
  expect(tables(host)).toEqual([]);
  expect(marker(host)).toEqual([]);
});

it("SEA-12 goes on where a peer stopped, and takes what its marker left behind", () => {
  const table = "fts_v22_trash_messages_fts_docsize";
  using host = openWith(
    `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, sz BLOB)`,
    `INSERT INTO ${table} VALUES (-7, x'00'), (0, x'00'), (900, x'00')`,
    `INSERT INTO state_meta (key, value) VALUES ('fts_teardown_${table}_progress', '500')`,
  );
  expect(step(host)).toBe("done");
  expect([tables(host), marker(host)]).toEqual([[], []]);
});

it("SEA-12 takes rows of text keys, compound keys and no key at all", () => {
  using host = openWith(
    "CREATE TABLE fts_v22_trash_a (k PRIMARY KEY, v) WITHOUT ROWID",
    `INSERT INTO fts_v22_trash_a ${COUNT} SELECT 'key' || i, 1 FROM n`,
    "CREATE TABLE fts_v22_trash_b (segid, term, pgno, PRIMARY KEY (segid, term)) WITHOUT ROWID",
    `INSERT INTO fts_v22_trash_b ${COUNT} SELECT i / 100, x'00' || i, 1 FROM n`,
    "CREATE TABLE fts_v22_trash_c (t TEXT PRIMARY KEY)",
    `INSERT INTO fts_v22_trash_c ${COUNT} SELECT CASE WHEN i % 2 THEN 'text' || i END FROM n`,
    'CREATE TABLE "fts_v22_trash_odd ""name" (x)',
  );
  const left: unknown[] = [];
  for (let result = step(host); result !== "done"; result = step(host)) left.push(tables(host).length);
  expect(left).toEqual([4, 4, 3, 3, 3, 2, 2, 2, 1]);
  expect(step(host)).toBe("none");
});

it("SEA-12 looks at each row once: ten times the rows are ten times the work, wherever it stands", () => {
  const table = "fts_v22_trash_messages_fts_data";
  const total = 120_000;
  using host = openWith(
    `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, block BLOB)`,
    `INSERT INTO ${table} WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${total})
     SELECT i, zeroblob(40) FROM n`,
  );
  const times: number[] = [];
  for (let more = true; more;) {
    const begun = performance.now();
    more = step(host) === "more";
    times.push(performance.now() - begun);
  }
  expect(times).toHaveLength(total / TEARDOWN_CHUNK + 1);
  const median = (part: readonly number[]): number => [...part].sort((a, b) => a - b)[part.length >> 1] ?? 0;
  // From the end a quadratic walk would cost a hundred times what it costs at the beginning.
  expect(median(times.slice(-50))).toBeLessThan(10 * median(times.slice(0, 50)) + 1);
});
