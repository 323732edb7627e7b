import type { Reader, SqlValue } from "@hermes/state-schema";

const ROWS_AT_ONCE = 500;

const TABLES = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name";
const COLUMNS = "SELECT name FROM pragma_table_info(?)";
const SCHEMA = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL";
/** The sessions that go, named once, since numbered parameters are not for every driver. */
const ERASED = "WITH erased (id) AS (SELECT value FROM json_each(?))";
const AMONG = "IN (SELECT id FROM erased)";

/** Reads a store in short reads, so that a large one never has to fit into memory. */
export type Read = <T>(fn: (r: Reader) => T) => T;

/** Whether the rows are those that go, or those that stay. */
export type Side = "erased" | "kept";

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Says which rows of a table go with the sessions; undefined when none do. */
function erasedRows(table: string, columns: readonly string[]): string | undefined {
  if (table === "sessions") return `id ${AMONG}`;
  if (table === "system_prompts") {
    const kept = ["system_prompt_hash", "tool_names"].map(
      (column) => `SELECT ${column} FROM sessions WHERE ${column} IS NOT NULL AND NOT (id ${AMONG})`,
    );
    return `hash NOT IN (${kept.join(" UNION ")})`;
  }
  if (table === "async_delegations") {
    const names = ["origin_session", "origin_session_id", "parent_session_id"].filter((name) => columns.includes(name));
    return names.map((name) => `ifnull(${name}, '') ${AMONG}`).join(" OR ");
  }
  return columns.includes("session_id") ? `session_id ${AMONG}` : undefined;
}

interface Statement {
  readonly sql: string;
  readonly pages: boolean;
}

function statementFor(r: Reader, table: string, hasNoRowid: boolean, side: Side): Statement | undefined {
  const columns = r.all<{ name: string }>(COLUMNS, [table]).map(({ name }) => name);
  const erased = erasedRows(table, columns);
  if (erased === undefined && side === "erased") return undefined;
  const which = erased === undefined ? "TRUE" : side === "erased" ? `(${erased})` : `NOT (${erased})`;
  const cells = columns.map(quote).join(", ");
  const from = `FROM ${quote(table)} WHERE ${which}`;
  if (hasNoRowid) return { sql: `${ERASED} SELECT 0, ${cells} ${from}`, pages: false };
  return {
    sql: `${ERASED} SELECT rowid, ${cells} ${from} AND rowid > ? ORDER BY rowid LIMIT ${ROWS_AT_ONCE}`,
    pages: true,
  };
}

function* rowsOf(read: Read, { sql, pages }: Statement, ids: string): Generator<readonly SqlValue[]> {
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const rows = read((r) => r.tuples(sql, pages ? [ids, after] : [ids]));
    yield* rows;
    const last = rows.at(-1)?.[0];
    if (!pages || rows.length < ROWS_AT_ONCE || typeof last !== "number") return;
    after = last;
  }
}

/**
 * Every text in the tables of a store: of the rows that go with some sessions, or of all others and of the schema.
 * Search indexes are none: they are made of these.
 *
 * @param sessionIds - The sessions that go.
 */
export function* textCells(read: Read, side: Side, sessionIds: readonly string[]): Generator<string> {
  const ids = JSON.stringify(sessionIds);
  const tables = read((r) =>
    r.tuples<[string, number]>(TABLES).flatMap(([name, wr]) => statementFor(r, name, wr === 1, side) ?? []),
  );
  for (const table of tables) {
    for (const row of rowsOf(read, table, ids)) for (const cell of row) if (typeof cell === "string") yield cell;
  }
  if (side === "kept") for (const [sql] of read((r) => r.tuples<[string]>(SCHEMA))) yield sql;
}
