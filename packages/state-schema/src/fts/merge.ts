import type { Reader, Writer } from "../sql/handles.js";
import type { SqliteCapabilities } from "./capabilities.js";
import { FTS_TABLE } from "./names.js";
import { readIndexState } from "./read-index-state.js";

/** Levels of this many segments are merged; at the engine's own 4 a fragmented index never converges (SEA-13). */
const USERMERGE = 2;

const TOTAL_CHANGES = "SELECT total_changes() AS changes";

/** The indexes of a file that this runtime can merge; none while the file's index is detached. */
export function mergeableTables(r: Reader, capabilities: SqliteCapabilities): readonly string[] {
  const state = readIndexState(r, capabilities);
  if (state.stale) return [];
  return (["word", "trigram"] as const).filter((half) => state[half].readable).map((half) => FTS_TABLE[half]);
}

/** Lets an index merge levels of two segments; written once per file, since the index itself remembers it. */
export function lowerUserMerge(w: Writer, table: string): void {
  const now = w.get<{ value: number }>(`SELECT v AS value FROM ${table}_config WHERE k = 'usermerge'`)?.value;
  // Spelt out: a bound number arrives as a REAL, which the index refuses.
  if (now !== USERMERGE) w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('usermerge', ${USERMERGE})`);
}

/**
 * Runs one merge command on an index.
 *
 * @param pages - How many pages it may write; negative begins a merge of all segments into one, which positive
 * commands go on with.
 * @returns False when there was nothing to merge: the command itself changes one row (SEA-13).
 */
export function mergePages(w: Writer, table: string, pages: number): boolean {
  const before = totalChanges(w);
  w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('merge', CAST(? AS INTEGER))`, [pages]);
  return totalChanges(w) - before >= 2;
}

function totalChanges(r: Reader): number {
  return r.get<{ changes: number }>(TOTAL_CHANGES)?.changes ?? 0;
}
