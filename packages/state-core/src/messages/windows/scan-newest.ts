import type { Reader, SqlValue } from "@hermes/state-schema";
import { MESSAGE_DECODER } from "../message-decoder.js";
import type { MessageRow } from "../message-row.js";

/**
 * Reads rows from the newest on, a chunk at a time, until enough are accepted or there are no more (SEA-14).
 *
 * @param sql - Selects the columns of messages, newest first; binds `params`, the id to go on below, the chunk size.
 * @param enough - How many to accept.
 */
export function scanNewest(
  r: Reader,
  sql: string,
  params: readonly SqlValue[],
  enough: number,
  accept: (row: MessageRow) => boolean,
): MessageRow[] {
  const chunk = enough * 2 + 5;
  const found: MessageRow[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const cells = r.tuples(sql, [...params, below, chunk]);
    for (const row of cells.map((read) => MESSAGE_DECODER.decode(read))) {
      if (accept(row)) found.push(row);
      if (found.length === enough) return found;
      below = row.id;
    }
    if (cells.length < chunk) return found;
  }
}
