import { openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection } from "@hermes/state-core";
import { damage, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COPY, copyStatements } from "../../src/recover/copy-statements.js";
import { copyTable } from "../../src/recover/copy-table.js";
import type { CopyResult } from "../../src/recover/copy-table.js";
import { runSteps } from "../../src/steps/run-steps.js";
import { messagePages } from "./page-oracle.js";
import { readFileSync } from "node:fs";

const PAGE = 4096;
const COLUMNS = ["id", "session_id", "role", "content", "timestamp"];

let folder: TempDir;
let source: string;
beforeEach(() => {
  folder = tempDir("ranges");
  source = folder.file("source.db");
});
afterEach(() => {
  folder[Symbol.dispose]();
});

/** Messages 1 to `count`, some with gaps, in a table without indexes. */
function makeMessages(count: number, idOf: (number: number) => number = (number) => number): void {
  const database = new Database(source);
  database.exec(
    "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL)",
  );
  const insert = database.prepare("INSERT INTO messages VALUES (?, 's', 'user', ?, 1750000000.5)");
  database.transaction(() => {
    for (let number = 1; number <= count; number += 1) insert.run(idOf(number), `text ${number} `.repeat(20));
  })();
  database.close();
}

function leavesOf(): number[] {
  const database = new Database(source);
  const sql = "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY path";
  const leaves = database.prepare(sql).pluck().all() as number[];
  database.close();
  return leaves;
}

function zero(page: number | undefined): void {
  damage.zero(source, ((page ?? 0) - 1) * PAGE, PAGE);
}

function copy(chunkSize = 100, queryLimit?: number): { result: CopyResult; ids: number[] } {
  const path = folder.file("output.db");
  const made = new Database(path);
  made.exec(
    "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT, content TEXT, timestamp REAL)",
  );
  made.close();
  const output: MaintenanceConnection = openMaintenanceConnection(path);
  try {
    output.run(`ATTACH DATABASE ? AS ${COPY}`, [source]);
    const table = { name: "messages", sql: "", columns: COLUMNS, types: [] };
    const result = runSteps(copyTable(output, copyStatements(table, COLUMNS, true), chunkSize, queryLimit));
    return { result, ids: output.tuples<[number]>("SELECT id FROM messages ORDER BY id").map(([id]) => id) };
  } finally {
    output.close();
  }
}

/** The ids that do not lie on a page. */
function idsOffPage(page: number | undefined): number[] {
  return [...messagePages(readFileSync(source))].filter(([, pages]) => pages[0] !== page).map(([id]) => id);
}

it("REP-09 copies an intact table in a few range queries", () => {
  makeMessages(1000);
  const { result, ids } = copy(100);
  expect(ids).toHaveLength(1000);
  expect(result).toMatchObject({ copiedRows: 1000, excludedRows: 0, rangeQueries: 10, queryLimitReached: false });
  expect(result.skipped.ranges).toEqual([]);
});

it("REP-09 bisects around a damaged page in the middle and lists what it skipped as one range", () => {
  makeMessages(2000);
  const leaves = leavesOf();
  const page = leaves[Math.floor(leaves.length / 2)];
  const left = idsOffPage(page);
  zero(page);
  const { result, ids } = copy(500);
  expect(ids).toEqual(left);
  expect(result.copiedRows).toBe(left.length);
  expect(result.skipped.ranges).toHaveLength(1);
  expect(result.skipped.span).toBe(2000 - left.length);
  expect(result.rangeQueries).toBeLessThan(100);
});

it.each(["first", "last"] as const)(
  "REP-09 finds the rows behind a damaged %s page without a search of all keys",
  (edge) => {
    makeMessages(2000, (number) => number * 3);
    const page = edge === "first" ? leavesOf()[0] : leavesOf().at(-1);
    const left = idsOffPage(page);
    zero(page);
    const { result, ids } = copy(500);
    expect(ids).toEqual(left);
    expect(result.queryLimitReached).toBe(false);
    expect(result.rangeQueries).toBeLessThan(150);
  },
);

it("REP-09 gives up a table after so many range queries, and says so", () => {
  makeMessages(5000, (number) => number * 1000);
  const leaves = leavesOf();
  for (const page of leaves.filter((_, place) => place % 2 === 1)) zero(page);
  const { result, ids } = copy(1000, 500);
  expect(result.queryLimitReached).toBe(true);
  expect(result.rangeQueries).toBeLessThan(600);
  expect(result.skipped.ranges.at(-1)?.error).toMatch(/limit/);
  expect(ids.length).toBeGreaterThan(100);
});

it("REP-09 leaves out rows that do not show their identity, and counts them", () => {
  makeMessages(20);
  const database = new Database(source);
  database.exec("UPDATE messages SET session_id = NULL WHERE id = 5");
  database.exec("UPDATE messages SET session_id = '' WHERE id = 6");
  database.exec("UPDATE messages SET role = x'00' WHERE id = 7");
  database.close();
  const { result, ids } = copy(7);
  expect(ids).toEqual(Array.from({ length: 20 }, (_, at) => at + 1).filter((id) => id < 5 || id > 7));
  expect(result).toMatchObject({ copiedRows: 17, excludedRows: 3 });
});
