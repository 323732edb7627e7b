import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import type { MaintenanceConnection } from "@hermes/state-core";
import type { Reader, SqlValue } from "@hermes/state-schema";
import { engineTrouble } from "../check/engine-error.js";
import { isRowTable, quoted } from "../check/schema/schema-objects.js";
import { readSchemaRows } from "../strategies/schema-rows.js";
import { isSearchMarker } from "../strategies/search-markers.js";

/** What one table holds, cell by cell. */
export interface TableProof {
  readonly rows: number;
  /** SHA-256 over every row in row order; equal for equal rows. */
  readonly digest: string;
}

/** What every table with rows of its own holds; search indexes are derived and left out. */
export interface RowsProof {
  readonly tables: Readonly<Record<string, TableProof>>;
  /** Tables that could not be read to their end, with the engine's words. */
  readonly unreadable: Readonly<Record<string, string>>;
}

const CHUNK = 500;
const COLUMNS = "SELECT name FROM pragma_table_info(?, 'main') ORDER BY cid";
const BEFORE_ALL = -9_223_372_036_854_775_808n;

/** Counters of the engine and of its statistics, which a rewrite may order anew. */
const ENGINE_TABLE = /^sqlite_/;

/**
 * Reads every row of every table through the table itself, never through an index, and keeps a digest: the evidence
 * that a repair changed nothing that anybody wrote (REP-06).
 *
 * @param connection - A connection on which whatever can be read of the schema is open.
 */
export function proveRows(connection: MaintenanceConnection): RowsProof {
  const tables: Record<string, TableProof> = {};
  const unreadable: Record<string, string> = {};
  const seen = new Set<string>();
  for (const row of readSchemaRows(connection)) {
    if (!isRowTable(row) || ENGINE_TABLE.test(row.name) || seen.has(row.name)) continue;
    seen.add(row.name);
    try {
      tables[row.name] = proveTable(connection, row.name);
    } catch (error) {
      if (engineTrouble(error) !== "damage") throw error;
      unreadable[row.name] = error instanceof Error ? error.message : String(error);
    }
  }
  return { tables, unreadable };
}

function proveTable(r: Reader, name: string): TableProof {
  const columns = r.tuples<[string]>(COLUMNS, [name]).map(([column]) => quoted(column));
  const sql =
    `SELECT rowid, ${columns.join(", ")} FROM main.${quoted(name)} NOT INDEXED ` +
    `WHERE rowid > ? ORDER BY rowid LIMIT ${CHUNK}`;
  const hash = createHash("sha256");
  let rows = 0;
  for (let after: number | bigint = BEFORE_ALL; ;) {
    const found: (readonly [number, ...SqlValue[]])[] = r.tuples(sql, [after]);
    for (const [rowid, ...cells] of found) {
      // A damaged tree can lead in a circle.
      if (rowid <= after)
        throw Object.assign(new Error(`rows of ${name} are out of order`), { code: "SQLITE_CORRUPT" });
      after = rowid;
      if (name === "state_meta" && isSearchMarker(String(cells[0]))) continue;
      rows += 1;
      addRow(hash, cells);
    }
    if (found.length < CHUNK) return { rows, digest: hash.digest("hex") };
  }
}

/** Without the number of the row: compacting may give it another one where it is not itself a column. */
function addRow(hash: Hash, cells: readonly SqlValue[]): void {
  hash.update("\0r");
  for (const cell of cells) {
    if (cell === null) hash.update("\0n");
    else if (typeof cell === "string") hash.update(`\0t${Buffer.byteLength(cell)}:`).update(cell);
    else if (cell instanceof Uint8Array) hash.update(`\0b${cell.byteLength}:`).update(cell);
    else hash.update(`\0i${cell}`);
  }
}

/**
 * What a second look at the rows fails to prove against a first one; nothing when every table holds exactly the rows it
 * held. Tables may be added, none may go.
 */
export function lostSince(before: RowsProof, after: RowsProof): string[] {
  return Object.entries(before.tables).flatMap(([name, { rows, digest }]) => {
    const now = after.tables[name];
    if (now === undefined) return [`${name} can no longer be read (${rows} rows before)`];
    if (now.digest === digest) return [];
    return [now.rows === rows ? `rows of ${name} changed` : `${name} had ${rows} rows and has ${now.rows}`];
  });
}
