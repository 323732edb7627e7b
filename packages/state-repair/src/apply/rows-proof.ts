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
const COLUMNS = "SELECT name, pk FROM pragma_table_info(?, 'main') ORDER BY cid";
const WITHOUT_ROWID = "SELECT 1 AS found FROM pragma_table_list(?) WHERE schema = 'main' AND wr = 1";
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
  const { columns, key, first } = readOrder(r, name);
  const order = key.join(", ");
  const later = `(${order}) > (${key.map(() => "?").join(", ")})`;
  const start = `SELECT ${[...key, ...columns].join(", ")} FROM main.${quoted(name)} NOT INDEXED`;
  const hash = createHash("sha256");
  let rows = 0;
  let after: readonly SqlValue[] = first;
  for (;;) {
    const where = after.length === 0 ? "" : `WHERE ${later}`;
    const found = r.tuples(`${start} ${where} ORDER BY ${order} LIMIT ${CHUNK}`, after);
    for (const row of found) {
      const at = row.slice(0, key.length);
      requireProgress(name, after, at);
      after = at;
      const cells = row.slice(key.length);
      if (name === "state_meta" && isSearchMarker(String(cells[0]))) continue;
      rows += 1;
      addRow(hash, cells);
    }
    if (found.length < CHUNK) return { rows, digest: hash.digest("hex") };
  }
}

/** By the number of the row; a table without one is in the order of its key. */
function readOrder(r: Reader, name: string): { columns: string[]; key: string[]; first: readonly SqlValue[] } {
  const info = r.tuples<[string, number]>(COLUMNS, [name]);
  const columns = info.map(([column]) => quoted(column));
  if (r.get(WITHOUT_ROWID, [name]) === undefined) return { columns, key: ["rowid"], first: [BEFORE_ALL] };
  const key = info.filter(([, place]) => place > 0).sort(([, a], [, b]) => a - b);
  return { columns, key: key.map(([column]) => quoted(column)), first: [] };
}

/** A damaged tree can lead in a circle. */
function requireProgress(name: string, before: readonly SqlValue[], now: readonly SqlValue[]): void {
  const [from] = before;
  const [to] = now;
  const numbers =
    before.length === 1 && typeof to === "number" && (typeof from === "number" || typeof from === "bigint");
  if (!numbers || to > from) return;
  throw Object.assign(new Error(`rows of ${name} are out of order`), { code: "SQLITE_CORRUPT" });
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
