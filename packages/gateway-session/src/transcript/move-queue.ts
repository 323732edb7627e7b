import type { SessionQueue } from "./session-queue.js";
import { asError } from "./transcript-errors.js";
import type { TranscriptState } from "./transcript-state.js";
import { traceStep } from "./trace-step.js";
import type { WaitingMessage } from "./waiting-message.js";

/** Tells the router about every key whose messages move. */
async function publishReroute(
  state: TranscriptState,
  keys: readonly (string | null)[],
  from: string,
  to: string,
): Promise<void> {
  for (const key of new Set(keys)) {
    if (key === null) continue;
    traceStep("publishing", key);
    try {
      await state.parts.routes.onReroute?.(key, from, to);
    } catch (error) {
      // The router finds the tip by itself when the key is used next.
      const problem = { what: "publish_failed", sessionId: to, sessionKey: key, failures: 0 } as const;
      state.warn({ level: "warning", ...problem, error: asError(error) });
    }
    traceStep("published", key);
  }
}

/**
 * Everything that waits for a session waits for another one from now on; then the router is told.
 *
 * @param stored - What moved and does not wait any more: its keys are told too.
 */
export async function moveQueue(
  state: TranscriptState,
  queue: SessionQueue,
  to: string,
  stored: readonly WaitingMessage[],
): Promise<void> {
  const keys = [...stored, ...queue.all].map(({ sessionKey }) => sessionKey);
  queue.mergeInto(state.queueOf(to));
  state.recordReroute(queue.sessionId, to);
  state.forget(queue);
  traceStep("moved", to);
  await publishReroute(state, keys, queue.sessionId, to);
}
