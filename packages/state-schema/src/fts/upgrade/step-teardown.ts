import { META_KEYS } from "../../meta-keys.js";
import type { SqlValue, Writer } from "../../sql/handles.js";
import { deleteMeta, setMeta } from "../../sql/set-meta.js";
import { UnreadableTableError } from "../drop-index.js";
import { readFtsSchema } from "../fts-schema.js";

/** How many rows one step of a teardown takes away. */
export const TEARDOWN_CHUNK = 500;

/** What one step did: `none` nothing is there to remove, `more` work remains, `done` the last table is gone. */
export type TeardownStep = "none" | "more" | "done";

/** The row of a table in the schema; its pages stay behind, unused, until a VACUUM. */
const FORGET = "DELETE FROM sqlite_master WHERE tbl_name = ?";

/**
 * Takes up to 500 rows off the first table that an upgrade has put aside, in the caller's transaction; one with fewer
 * is dropped. Rows go from the lowest key on, so each is looked at once, and keys below 1 are no exception
 * (SEA-12). How far it came stands in `fts_teardown_<table>_progress`, for writers that go on from there.
 *
 * @param lost - Tables that an earlier step could not read: they lose their names.
 * @throws UnreadableTableError for another table that cannot be read; roll back and try again with it in `lost`.
 */
export function stepTeardown(w: Writer, lost: ReadonlySet<string> = new Set()): TeardownStep {
  const [table, ...others] = [...readFtsSchema(w).trash].sort();
  if (table === undefined) return "none";
  if (lost.has(table)) w.editSchema(FORGET, [table]);
  else if (!empty(w, table)) return "more";
  deleteMeta(w, progressKey(table));
  return others.length > 0 ? "more" : "done";
}

/** @returns True when the table is gone. */
function empty(w: Writer, table: string): boolean {
  try {
    const key = keyOf(w, table);
    const last = lastOfChunk(w, table, key);
    if (last === undefined) {
      w.exec(`DROP TABLE ${quoted(table)}`);
      return true;
    }
    const upTo = `(${key.join(", ")}) <= (${key.map(() => "?").join(", ")})`;
    w.run(`DELETE FROM ${quoted(table)} WHERE ${upTo}`, last);
    if (key.length === 1 && typeof last[0] === "number") setMeta(w, progressKey(table), String(last[0]));
    return false;
  } catch (error) {
    throw isUnreadable(error) ? new UnreadableTableError(table, error) : error;
  }
}

function isUnreadable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB");
}

function progressKey(table: string): string {
  return `${META_KEYS.ftsTeardownProgress.key}${table}_progress`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const WITHOUT_ROWID = "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?";
const PRIMARY_KEY = "SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk";

/** What the rows of a table are stored by. */
function keyOf(w: Writer, table: string): readonly string[] {
  if (w.get<{ wr: number }>(WITHOUT_ROWID, [table])?.wr !== 1) return ["rowid"];
  return w.all<{ name: string }>(PRIMARY_KEY, [table]).map(({ name }) => quoted(name));
}

/** The key of the last row of the next chunk; undefined when the table has fewer rows than that. */
function lastOfChunk(w: Writer, table: string, key: readonly string[]): readonly SqlValue[] | undefined {
  const columns = key.join(", ");
  const sql = `SELECT ${columns} FROM ${quoted(table)} ORDER BY ${columns} LIMIT 1 OFFSET ${TEARDOWN_CHUNK - 1}`;
  return w.tuples(sql)[0];
}
