import { detachFts } from "@hermes/state-schema";
import type { Writer } from "@hermes/state-schema";
import { isCapabilityError, isIndexCorruption } from "../errors/classify-persistence-error.js";
import { sqliteResult } from "../errors/sqlite-result.js";

/** Columns of the newest rows: unreadable canonical pages must not be mistaken for a damaged index. */
const CANONICAL_PROBES = [
  "SELECT id, source, started_at FROM sessions ORDER BY rowid DESC LIMIT 1",
  "SELECT id, session_id, role, content FROM messages ORDER BY id DESC LIMIT 1",
];

/**
 * A wrecked index also answers with a bare "constraint failed", or with plain corruption that any page could cause.
 * Constraints of our own tables name their columns.
 */
function mayBeIndexDamage(error: unknown): boolean {
  if (isIndexCorruption(error) || isCapabilityError(error)) return true;
  const result = sqliteResult(error);
  if (!result) return false;
  if (result.primary === 11 || result.primary === 26) return true;
  const text = (error as Error).message;
  return result.primary === 19 && (text === "constraint failed" || text.includes("messages_fts"));
}

/**
 * For an error that a damaged index may have caused, the write that proves it: one transaction that detaches the
 * indexes (stale marker and all sync triggers), reads the canonical tables and runs the callback again. If it commits,
 * the fault was the index and the row is stored; if it fails, nothing was detached and the fault is canonical (COR-09).
 *
 * @returns The replacement callback, or undefined when the index cannot be to blame.
 */
export function detachedRetry<T>(error: unknown, fn: (w: Writer) => T): ((w: Writer) => T) | undefined {
  if (!mayBeIndexDamage(error)) return undefined;
  return (w) => {
    detachFts(w);
    for (const probe of CANONICAL_PROBES) w.get(probe);
    return fn(w);
  };
}
