import type { Reader } from "@hermes/state-schema";
import { MESSAGE_DECODER } from "../message-decoder.js";
import { SELECT_MESSAGE, selectPageSql } from "../message-queries.js";
import type { MessageRow } from "../message-row.js";

/** A message with its neighbours. */
export interface MessageWindow {
  /** In insertion order; empty when there is no such message in the session. */
  readonly window: readonly MessageRow[];
  /** How many of them come before the message. */
  readonly messagesBefore: number;
  readonly messagesAfter: number;
}

/** Neighbours on each side of a message unless something else is said. */
export const DEFAULT_WINDOW = 5;

const MAX_WINDOW = 10_000;
const NOTHING: MessageWindow = { window: [], messagesBefore: 0, messagesAfter: 0 };

/**
 * Checks how many neighbours are wanted; less than none is none.
 *
 * @throws RangeError when it is no whole number up to 10,000.
 */
export function checkWindow(what: string, window: unknown): number {
  if (Number.isSafeInteger(window) && (window as number) <= MAX_WINDOW) return Math.max(0, window as number);
  throw new RangeError(`${what} must be a whole number up to ${MAX_WINDOW}, not ${String(window)}.`);
}

/**
 * A message and its neighbours by id, whatever state they are in.
 *
 * @param sessionId - The session the message must be of; undefined for any.
 */
export function readAround(r: Reader, id: number, window: number, sessionId: string | undefined): MessageWindow {
  const decode = (cells: Parameters<typeof MESSAGE_DECODER.decode>[0]): MessageRow => MESSAGE_DECODER.decode(cells);
  const [anchor] = r.tuples(SELECT_MESSAGE, [id]).map(decode);
  if (!anchor || (sessionId !== undefined && anchor.sessionId !== sessionId)) return NOTHING;
  const params = [anchor.sessionId, id, window];
  const before = r.tuples(selectPageSql("all", "newest"), params).map(decode).reverse();
  const after = r.tuples(selectPageSql("all", "oldest"), params).map(decode);
  const rows = [...before, anchor, ...after];
  return { window: rows, messagesBefore: before.length, messagesAfter: after.length };
}
