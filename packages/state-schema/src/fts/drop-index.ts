import type { Writer } from "../sql/handles.js";
import { FTS_SHADOWS, FTS_TABLE, type FtsHalf } from "./names.js";

const PRESENT = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?) AS present";
const FORGET = "DELETE FROM sqlite_master WHERE tbl_name = ?";

/**
 * A table of an index has pages that cannot be read, so that they cannot be freed either. The transaction it happened
 * in must be rolled back: the engine does nothing more in it.
 */
export class UnreadableTableError extends Error {
  override readonly name: string = "UnreadableTableError";
  readonly table: string;

  constructor(table: string, cause: unknown) {
    super(`The pages of ${table} cannot be read. Replace the index again, leaving them where they are.`, { cause });
    this.table = table;
  }
}

/**
 * Removes an index, whatever has become of it, in the caller's transaction. A virtual table that cannot be opened any
 * more (a shadow table or the tokenizer is missing) refuses DROP TABLE: then its row of the schema goes, and its shadow
 * tables one by one.
 *
 * @param lost - Tables that an earlier attempt could not read. They lose their names and leave their pages unused in
 * the file, until a VACUUM gives them back.
 * @throws UnreadableTableError for a table that is not among them and cannot be read.
 */
export function dropIndex(w: Writer, half: FtsHalf, lost: ReadonlySet<string>): void {
  const name = FTS_TABLE[half];
  if (!lost.has(name) && (!exists(w, name) || dropWhole(w, name))) {
    dropShadows(w, name, lost);
    return;
  }
  w.editSchema(FORGET, [name]);
  dropShadows(w, name, lost);
}

function exists(w: Writer, table: string): boolean {
  return w.get<{ present: number }>(PRESENT, [table])?.present === 1;
}

/** @returns False when the engine cannot open the table, which leaves the transaction as it was. */
function dropWhole(w: Writer, name: string): boolean {
  try {
    w.exec(`DROP TABLE ${name}`);
    return true;
  } catch (error) {
    refuseUnreadable(name, error);
    if (codeOf(error) !== "SQLITE_ERROR") throw error;
    return false;
  }
}

/** Shadow tables whose virtual table is gone are tables like any other. */
function dropShadows(w: Writer, name: string, lost: ReadonlySet<string>): void {
  for (const table of FTS_SHADOWS.map((suffix) => `${name}_${suffix}`)) {
    if (lost.has(table)) {
      w.editSchema(FORGET, [table]);
      continue;
    }
    try {
      w.exec(`DROP TABLE IF EXISTS ${table}`);
    } catch (error) {
      refuseUnreadable(table, error);
      throw error;
    }
  }
}

function refuseUnreadable(table: string, error: unknown): void {
  const code = codeOf(error);
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") throw new UnreadableTableError(table, error);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
