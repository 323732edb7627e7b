import { deliver } from "./deliver.js";
import { judgeFailure } from "./judge-failure.js";
import { placeLeftOvers } from "./place-backlogs.js";
import type { SessionQueue } from "./session-queue.js";
import { settleWaiting, spoolWaiting } from "./spool-waiting.js";
import { asError, writerStopped } from "./transcript-errors.js";
import { PATIENT_FAILURES } from "./transcript-options.js";
import type { TranscriptState } from "./transcript-state.js";
import { byArrival } from "./waiting-message.js";
import type { WaitingMessage } from "./waiting-message.js";

/** Counts a failure of a queue; from the third in a row on, what waits goes to disk. */
function fail(state: TranscriptState, queue: SessionQueue, error: unknown): void {
  const typed = asError(error);
  queue.failures += 1;
  queue.problem = typed;
  state.counters.failures += 1;
  const { sessionId, failures } = queue;
  const level = failures < PATIENT_FAILURES ? "warning" : "error";
  const sessionKey = queue.head?.sessionKey ?? null;
  state.warn({ level, what: "append_failed", sessionId, sessionKey, failures, error: typed });
  const { inMemory } = queue;
  const problem = spoolWaiting(state, failures < PATIENT_FAILURES ? inMemory.filter(({ urgent }) => urgent) : inMemory);
  settleWaiting(queue, problem ?? typed);
}

/** Nothing can be stored through this store any more: everything goes to disk, in the order it came in. */
function stop(state: TranscriptState, queue: SessionQueue, error: unknown): void {
  if (state.stopped === undefined) {
    state.stopped = writerStopped(error, state.parts.spool.path);
    const about = { sessionId: queue.sessionId, sessionKey: queue.head?.sessionKey ?? null, failures: queue.failures };
    state.warn({ level: "error", what: "stopped", ...about, error: state.stopped });
  }
  const { queues } = state;
  const problem = spoolWaiting(state, queues.flatMap(({ inMemory }) => inMemory).sort(byArrival));
  for (const each of queues) settleWaiting(each, problem ?? state.stopped);
}

/** Keeps the head for a person to look at and goes on; false when it could not be kept and stays. */
function setAside(state: TranscriptState, queue: SessionQueue, waiting: WaitingMessage, error: unknown): boolean {
  const problem = spoolWaiting(state, [waiting]);
  if (problem !== undefined || waiting.file === undefined) return false;
  const { sessionId, failures } = queue;
  try {
    const file = state.parts.spool.setAside(waiting.file);
    const about = { sessionId, sessionKey: waiting.sessionKey, failures, error: asError(error), file };
    state.warn({ level: "error", what: "set_aside", ...about });
  } catch {
    // The file stays as it is, and is refused again.
    return false;
  }
  state.counters.setAside += 1;
  queue.remove(waiting);
  waiting.reject(error);
  return true;
}

/** One message. @returns Whether to go on, or where. */
async function step(state: TranscriptState, queue: SessionQueue, waiting: WaitingMessage): Promise<boolean | string> {
  const delivery = await deliver(state, queue, waiting);
  switch (delivery.kind) {
    case "stored":
      return true;
    case "moved":
      return delivery.to;
    case "gone":
      settleWaiting(queue, new Error("Another writer took the message over from the spool."), waiting);
      queue.remove(waiting);
      return true;
    case "refused":
      if (setAside(state, queue, waiting, delivery.error)) return true;
      fail(state, queue, delivery.error);
      return false;
    case "failed":
      fail(state, queue, delivery.error);
      return false;
    case "stop":
      stop(state, queue, delivery.error);
      return false;
  }
}

/**
 * Stores what waits for a session, oldest first, until something fails. Runs in the lane of the session and never
 * throws.
 *
 * @param upTo - The number of the last message to store: what came in later may have to wait for something else.
 * @returns The session whose queue is to be drained next, when the messages went there.
 */
export async function drainQueue(
  state: TranscriptState,
  queue: SessionQueue,
  upTo: number,
): Promise<string | undefined> {
  try {
    if (state.stopped) stop(state, queue, state.stopped);
    if (state.halted()) return undefined;
    await placeLeftOvers(state);
    return await drainPlaced(state, queue, upTo);
  } catch (error) {
    if (judgeFailure(error) === "stop") stop(state, queue, error);
    else fail(state, queue, error);
    return undefined;
  } finally {
    state.forget(queue);
  }
}

async function drainPlaced(state: TranscriptState, queue: SessionQueue, upTo: number): Promise<string | undefined> {
  const current = state.currentOf(queue.sessionId);
  if (current !== queue.sessionId) {
    queue.mergeInto(state.queueOf(current));
    return current;
  }
  for (let head = queue.head; head !== undefined && !head.isAfter(upTo); head = queue.head) {
    if (state.halted()) break;
    const next = await step(state, queue, head);
    if (next !== true) return next === false ? undefined : next;
  }
  return undefined;
}
