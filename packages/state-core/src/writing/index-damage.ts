import { detachFts, dropUnservedTriggers, probeCapabilities } from "@hermes/state-schema";
import type { Writer } from "@hermes/state-schema";
import { isCapabilityError, isIndexCorruption } from "../errors/classify-persistence-error.js";
import { sqliteResult } from "../errors/sqlite-result.js";

/** Columns of the newest rows: unreadable canonical pages must not be mistaken for a damaged index. */
const CANONICAL_PROBES = [
  "SELECT id, source, started_at FROM sessions ORDER BY rowid DESC LIMIT 1",
  "SELECT id, session_id, role, content FROM messages ORDER BY id DESC LIMIT 1",
];

/**
 * An error that the indexes may have caused: proven damage, a missing tokenizer, an error that names an index, or
 * what a wrecked index also answers with: a bare "constraint failed", or plain corruption that any page could cause.
 */
function mayBeIndexDamage(error: unknown): boolean {
  if (isIndexCorruption(error) || isCapabilityError(error)) return true;
  const result = sqliteResult(error);
  if (!result) return false;
  const text = (error as Error).message;
  if (result.primary === 11 || result.primary === 26 || text.includes("messages_fts")) return true;
  return result.primary === 19 && text === "constraint failed";
}

/**
 * For an error that an index may have caused, the writes that prove it, to be tried in this order. Each is one
 * transaction that takes something off the messages and runs the callback again: if it commits, the fault was there and
 * the row is stored; if it fails, nothing was taken off (COR-09).
 *
 * 1. Without the triggers that this runtime cannot serve; their index is filled again by a capable open (SCH-08).
 * 2. Without any index: stale marker and all sync triggers, after the canonical tables were read.
 *
 * @returns Empty when the indexes cannot be to blame.
 */
export function retriesWithoutIndex<T>(error: unknown, fn: (w: Writer) => T): readonly ((w: Writer) => T)[] {
  if (!mayBeIndexDamage(error)) return [];
  return [
    (w) => {
      if (dropUnservedTriggers(w, probeCapabilities(w)).length === 0) throw error;
      return fn(w);
    },
    (w) => {
      detachFts(w);
      for (const probe of CANONICAL_PROBES) w.get(probe);
      return fn(w);
    },
  ];
}
