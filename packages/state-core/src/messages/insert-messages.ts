import { beginBulkIndexing, finishBulkIndexing } from "@hermes/state-schema";
import type { Writer } from "@hermes/state-schema";
import type { EncodedMessage } from "./encode-message.js";
import { INSERT_MESSAGE } from "./encode-message.js";

/**
 * From how many rows on indexing them together is cheaper than row by row: three cost 0.7 of what the triggers take,
 * and finding out whether the file allows it costs about as much as it saves on two.
 */
const BULK_FROM = 3;

/**
 * Inserts encoded messages inside one write transaction, without guards and without counting. Many rows are indexed at
 * once where the file allows it.
 *
 * @returns The ids, in order.
 */
export function insertMessages(w: Writer, messages: readonly EncodedMessage[]): number[] {
  const bulk = messages.length >= BULK_FROM ? beginBulkIndexing(w) : undefined;
  const ids = messages.map((message) => w.run(INSERT_MESSAGE, message.params).lastInsertRowid);
  if (bulk) finishBulkIndexing(w, bulk, ids.at(-1) ?? bulk.after);
  return ids;
}
