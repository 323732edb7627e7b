import type { Reader, SqlValue } from "@hermes/state-schema";
import { quoteName } from "../rows/quote-name.js";

const ROWS_AT_ONCE = 500;
/** Characters and bytes of rows that are held at a time, unless one row has more. */
const MOST_AT_ONCE = 8_388_608;

const TABLES = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name";
const COLUMNS = "SELECT name FROM pragma_table_info(?)";
const SCHEMA = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL";
const PROMPTS_OF =
  "SELECT id, system_prompt_hash, tool_names, rowid FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?";

/** Columns of a delegation that name a session. */
const DELEGATION_OWNERS = ["origin_session", "origin_session_id", "parent_session_id"];

/** Tables whose rows of one session an index finds. */
const SEEKABLE: Readonly<Record<string, string>> = { sessions: "id", messages: "session_id" };

/** Reads a store in short reads, so that a large one never has to fit into memory. */
export type Read = <T>(fn: (r: Reader) => T) => T;

/** Whether the rows are those that go, or those that stay. */
export type Side = "erased" | "kept";

/** A cell that may hold something: a text, or bytes. */
export type Content = string | Uint8Array;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns that tell whose a row is; the row goes when one of them is among `owners`. */
  readonly owning: readonly string[];
  readonly owners: ReadonlySet<SqlValue>;
  readonly hasRowid: boolean;
}

/** Prompts are shared: one goes when no session that stays names it. */
function promptsToGo(read: Read, sessions: ReadonlySet<string>): Set<SqlValue> {
  const staying = new Set<SqlValue>();
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = read((r) => r.tuples(PROMPTS_OF, [after, ROWS_AT_ONCE]));
    for (const [id, ...hashes] of rows) {
      if (!sessions.has(String(id))) for (const hash of hashes.slice(0, 2)) if (hash !== null) staying.add(hash);
    }
    const last = rows.at(-1)?.[3];
    if (rows.length < ROWS_AT_ONCE || typeof last !== "number") break;
    after = last;
  }
  const all = read((r) => r.tuples<[string]>("SELECT hash FROM system_prompts")).map(([hash]) => hash);
  return new Set(all.filter((hash) => !staying.has(hash)));
}

function owningColumns(table: string, columns: readonly string[]): readonly string[] {
  if (table === "sessions") return ["id"];
  if (table === "system_prompts") return ["hash"];
  if (table === "async_delegations") return DELEGATION_OWNERS.filter((name) => columns.includes(name));
  return columns.includes("session_id") ? ["session_id"] : [];
}

function tablesOf(read: Read, sessions: ReadonlySet<string>): Table[] {
  const names = read((r) => r.tuples<[string, number]>(TABLES));
  const prompts = names.some(([name]) => name === "system_prompts") ? promptsToGo(read, sessions) : new Set<SqlValue>();
  return names.map(([name, withoutRowid]) => {
    const columns = read((r) => r.tuples<[string]>(COLUMNS, [name])).map(([column]) => column);
    const owners = name === "system_prompts" ? prompts : sessions;
    return { name, columns, owning: owningColumns(name, columns), owners, hasRowid: withoutRowid === 0 };
  });
}

/** Rows of one table that are read in the order of their row ids. */
interface Paging {
  readonly table: string;
  readonly cells: string;
  /** A condition for the rows, with its parameters. */
  readonly where: string;
  readonly params: readonly SqlValue[];
}

interface Page {
  readonly rows: readonly (readonly SqlValue[])[];
  /** The row id to go on after; undefined at the end. */
  readonly after: number | undefined;
}

/** Row ids in pages and rows one by one: a page of rows could be any size. */
function readPage(r: Reader, { table, cells, where, params }: Paging, after: number): Page {
  const idSql = `SELECT rowid FROM ${table} WHERE ${where} AND rowid > ? ORDER BY rowid LIMIT ${ROWS_AT_ONCE}`;
  const ids = r.tuples<[number]>(idSql, [...params, after]);
  const rows: (readonly SqlValue[])[] = [];
  let size = 0;
  for (const [id] of ids) {
    const [row] = r.tuples(`SELECT rowid, ${cells} FROM ${table} WHERE rowid = ?`, [id]);
    if (row) rows.push(row);
    size += row?.reduce<number>((sum, cell) => sum + sizeOf(cell), 0) ?? 0;
    if (size > MOST_AT_ONCE) return { rows, after: id };
  }
  return { rows, after: ids.length < ROWS_AT_ONCE ? undefined : ids.at(-1)?.[0] };
}

function sizeOf(cell: SqlValue): number {
  return typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 0;
}

function* paged(read: Read, paging: Paging): Generator<readonly SqlValue[]> {
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined;) {
    const from: number = after;
    const page = read((r) => readPage(r, paging, from));
    yield* page.rows;
    ({ after } = page);
  }
}

/** Rows of a table, with a row id in front; of some sessions only, where an index finds those. */
function* rowsOf(read: Read, table: Table, side: Side): Generator<readonly SqlValue[]> {
  const cells = table.columns.map(quoteName).join(", ");
  const name = quoteName(table.name);
  const seek = SEEKABLE[table.name];
  const all = { table: name, cells, where: "TRUE", params: [] };
  if (!table.hasRowid) yield* read((r) => r.tuples(`SELECT 0, ${cells} FROM ${name}`));
  else if (side === "kept" || seek === undefined) yield* paged(read, all);
  else for (const id of table.owners) yield* paged(read, { ...all, where: `${seek} = ?`, params: [id] });
}

function* cellsOf(read: Read, table: Table, side: Side): Generator<Content> {
  const owning = table.owning.map((name) => table.columns.indexOf(name) + 1);
  if (owning.length === 0 && side === "erased") return;
  for (const row of rowsOf(read, table, side)) {
    const goes = owning.some((index) => table.owners.has(row[index] ?? null));
    if (goes !== (side === "erased")) continue;
    for (const cell of row) if (typeof cell === "string" || cell instanceof Uint8Array) yield cell;
  }
}

/**
 * Every text and every byte string in the tables of a store: of the rows that go with some sessions, or of all others
 * and of the schema. Search indexes are none: they are made of these. No statement is given more than one id (POR-08).
 *
 * @param sessionIds - The sessions that go.
 */
export function* storedCells(read: Read, side: Side, sessionIds: readonly string[]): Generator<Content> {
  for (const table of tablesOf(read, new Set(sessionIds))) yield* cellsOf(read, table, side);
  if (side === "kept") for (const [sql] of read((r) => r.tuples<[string]>(SCHEMA))) yield sql;
}
