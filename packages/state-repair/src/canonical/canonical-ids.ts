import { createHash } from "node:crypto";
import type { Reader, SqlValue } from "@hermes/state-schema";

/** The ids of one canonical table. */
export interface IdSet<T> {
  /** In ascending order. */
  readonly ids: readonly T[];
  /** SHA-256 of the ids in order, in hex: equal for equal sets. */
  readonly digest: string;
  /** False when reading met damage: then these are the ids up to it, and nothing is proven about the rest. */
  readonly complete: boolean;
}

/** Which sessions and messages a file holds. */
export interface CanonicalIds {
  readonly sessions: IdSet<string>;
  readonly messages: IdSet<number>;
}

const CHUNK = 10_000;
// An index can still list what its table has lost, and the reverse: only the table itself is evidence.
const SESSIONS = `SELECT rowid, id FROM sessions NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ${CHUNK}`;
const MESSAGES = `SELECT id, id FROM messages NOT INDEXED WHERE id > ? ORDER BY id LIMIT ${CHUNK}`;
const BEFORE_ALL = -9_223_372_036_854_775_808n;

/**
 * Reads the ids of all sessions and messages from their tables, never from an index. A repair may promote its work only
 * if these are unchanged or more (REP-06).
 *
 * @returns Sets that are marked incomplete where the table could not be read to its end.
 */
export function readCanonicalIds(r: Reader): CanonicalIds {
  return {
    sessions: idSet(r, SESSIONS, (id) => (typeof id === "string" ? id : String(id)), compareText),
    messages: idSet(r, MESSAGES, Number, (a, b) => a - b),
  };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function idSet<T extends string | number>(
  r: Reader,
  sql: string,
  cell: (value: SqlValue) => T,
  compare: (a: T, b: T) => number,
): IdSet<T> {
  const ids: T[] = [];
  const complete = readAll(r, sql, (value) => ids.push(cell(value)));
  ids.sort(compare);
  const hash = createHash("sha256");
  for (const id of ids) hash.update(JSON.stringify(id)).update("\n");
  return { ids, digest: hash.digest("hex"), complete };
}

/** @returns Whether the end of the table was reached. */
function readAll(r: Reader, sql: string, take: (value: SqlValue) => void): boolean {
  let after: number | bigint = BEFORE_ALL;
  try {
    for (;;) {
      const rows: [number, SqlValue][] = r.tuples<[number, SqlValue]>(sql, [after]);
      for (const [rowid, id] of rows) {
        // A damaged tree can lead in a circle.
        if (rowid <= after) return false;
        take(id);
        after = rowid;
      }
      if (rows.length < CHUNK) return true;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

/** Whatever the engine says about bytes; a busy file, a full disk or a mistake of ours is no statement about rows. */
function isDamage(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== "string") return false;
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB" || code === "SQLITE_ERROR";
}
