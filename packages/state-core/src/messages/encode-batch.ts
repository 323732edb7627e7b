import type { EncodedMessage } from "./encode-message.js";
import { encodeMessage } from "./encode-message.js";
import type { NewMessage } from "./new-message.js";

/** Messages without a timestamp follow each other by a microsecond, so that a batch has a strict order in time too. */
const STEP_SECONDS = 1e-6;

/**
 * Checks and encodes messages that are written together.
 *
 * @param now - The timestamp of the first one that carries none, in REAL seconds.
 * @throws As {@link encodeMessage}.
 */
export function encodeBatch(sessionId: string, messages: readonly NewMessage[], now: number): EncodedMessage[] {
  let untimed = 0;
  return messages.map((message) => {
    const timestamp = now + untimed * STEP_SECONDS;
    if (message.timestampSeconds === undefined) untimed++;
    return encodeMessage(sessionId, message, timestamp);
  });
}
