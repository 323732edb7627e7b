import type { EncodedMessage } from "../messages/encode-message.js";
import { encodeBatch } from "../messages/encode-batch.js";
import type { NewMessage } from "../messages/new-message.js";

/**
 * Checks a message id that bounds a compaction.
 *
 * @param what - The value as the caller knows it.
 * @throws TypeError when it is neither a whole number from 0 nor null.
 */
export function checkBound(what: string, id: number | null): void {
  if (id === null || (Number.isSafeInteger(id) && id >= 0)) return;
  throw new TypeError(`${what} must be a message id, 0 or null, not ${String(id)}.`);
}

/**
 * Checks and encodes what replaces the compacted messages.
 *
 * @param what - The function as the caller knows it.
 * @throws TypeError when there is nothing, or a row the model would not see; otherwise as `encodeBatch`.
 */
export function encodeHandoff(
  what: string,
  sessionId: string,
  messages: readonly NewMessage[],
  now: number,
): readonly EncodedMessage[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new TypeError(`${what}: the messages must be a list of at least one, or the conversation would be empty.`);
  }
  const encoded = encodeBatch(sessionId, messages, now);
  if (encoded.some((message) => message.messages === 0)) {
    throw new TypeError(`${what}: every message must be active; leave out what the model must not see.`);
  }
  return encoded;
}
