import { isStateError } from "@hermes/state-core";
import type { StateError } from "@hermes/state-core";
import type { SessionQueue } from "./session-queue.js";
import { decodeSpooled } from "./spooled-message.js";
import type { IdentifiedMessage } from "./identify-message.js";
import { badSpoolFile, spoolFailed } from "./transcript-errors.js";
import type { TranscriptState } from "./transcript-state.js";
import type { WaitingMessage } from "./waiting-message.js";

/**
 * Puts messages on disk, in the order given, up to the first that fails (7.11).
 *
 * @returns Why one could not be kept; it and the later ones stay in memory.
 */
export function spoolWaiting(state: TranscriptState, messages: readonly WaitingMessage[]): StateError | undefined {
  const { spool } = state.parts;
  for (const waiting of messages) {
    const text = waiting.toSpool();
    if (text === undefined) continue;
    try {
      waiting.spooledAs(spool.write(text));
      state.counters.spooled += 1;
    } catch (error) {
      state.counters.spoolFailures += 1;
      const typed = isStateError(error) ? error : spoolFailed(spool.path, "keep a message", error);
      const { sessionId, sessionKey } = waiting;
      state.warn({ level: "error", what: "spool_failed", sessionId, sessionKey, failures: 0, error: typed });
      return typed;
    }
  }
  return undefined;
}

/** Tells everybody who waits in a queue, or for one message of it, how it stands. */
export function settleWaiting(queue: SessionQueue, problem: Error, only?: WaitingMessage): void {
  for (const waiting of only ? [only] : queue.all) {
    const about = { sessionId: queue.sessionId, messageUid: waiting.messageUid, problem };
    if (waiting.file === undefined) waiting.resolve({ state: "queued", durable: false, ...about });
    else waiting.resolve({ state: "spooled", durable: true, ...about });
  }
}

/**
 * The message itself, wherever it is.
 *
 * @returns Undefined when another process took its file over and stores it.
 * @throws StateError `STATE_E_SPOOL_FILE_BAD` when its file holds no message any more, `STATE_E_SPOOL_FAILED`.
 */
export function textOf(state: TranscriptState, waiting: WaitingMessage): IdentifiedMessage | undefined {
  const { file, message } = waiting;
  if (message !== undefined || file === undefined) return message;
  const text = state.parts.spool.read(file);
  if (text === undefined) return undefined;
  const decoded = decodeSpooled(text);
  if (decoded.kind !== "message") throw badSpoolFile(file, "holds no message any more");
  return decoded.spooled.message;
}
