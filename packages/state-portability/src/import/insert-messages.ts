import { beginBulkIndexing, finishBulkIndexing } from "@hermes/state-schema";
import type { Writer } from "@hermes/state-schema";

/** From how many rows on indexing them together is cheaper than row by row. */
const BULK_FROM = 3;

/** What messages are written for. */
export interface InsertedMessages {
  /** How many there will be, at least; a guess costs time, not truth. */
  readonly count: number;
  /** The sessions when they have no messages yet, so that those may keep ids of their own. */
  readonly newSessions?: readonly string[];
}

/**
 * Runs `write`, which inserts messages and deletes none, so that they are indexed together at its end where the file
 * allows it, and by the triggers otherwise; called within itself, the outer call indexes. An error ends the caller's
 * transaction.
 *
 * @param write - Returns the highest id that it inserted, or 0.
 */
export function insertMessages(w: Writer, { count, newSessions }: InsertedMessages, write: () => number): void {
  const bulk = count >= BULK_FROM ? beginBulkIndexing(w, newSessions) : undefined;
  const highest = write();
  if (bulk) finishBulkIndexing(w, bulk, Math.max(highest, bulk.after));
}
