import { isStateError } from "@hermes/state-core";
import type { MessageReceipt } from "@hermes/state-core";
import type { IdentifiedMessage } from "./identify-message.js";
import { judgeFailure } from "./judge-failure.js";
import type { Verdict } from "./judge-failure.js";
import type { SessionQueue } from "./session-queue.js";
import { textOf } from "./spool-waiting.js";
import { moveQueue } from "./move-queue.js";
import { placeBacklogs } from "./place-backlogs.js";
import { asError, noLiveTip } from "./transcript-errors.js";
import type { TranscriptState } from "./transcript-state.js";
import { traceStep } from "./trace-step.js";
import { byArrival } from "./waiting-message.js";
import type { WaitingMessage } from "./waiting-message.js";

/** What became of the message at the head of a queue. */
export type Delivery =
  /** It is stored, and out of the queue. */
  | { readonly kind: "stored" }
  /** It is stored in another session, and what was behind it waits there. */
  | { readonly kind: "moved"; readonly to: string }
  /** Another process has taken it over. */
  | { readonly kind: "gone" }
  | { readonly kind: "refused" | "failed" | "stop"; readonly error: unknown };

interface Closed {
  readonly kind: "closed";
  readonly error: unknown;
}

type Attempt =
  | { readonly kind: "stored"; readonly receipt: MessageReceipt }
  | { readonly kind: Exclude<Verdict, "index">; readonly error: unknown };

/** A conversation may be rotated again while its tip is looked for. */
const MOST_ROUNDS = 3;

async function attempt(
  { parts: { port } }: TranscriptState,
  sessionId: string,
  waiting: WaitingMessage,
  message: IdentifiedMessage,
): Promise<Attempt> {
  for (let tries = 1; ; tries++) {
    // A uid made just now is nowhere yet, and looking for one means to look at the whole conversation.
    const once = waiting.tried || (message.platformMessageId ? "platform-id" : false);
    traceStep("appending", waiting.messageUid);
    try {
      const receipt = await port.append(sessionId, message, once ? { once } : {});
      traceStep("appended", waiting.messageUid);
      return { kind: "stored", receipt };
    } catch (error) {
      const verdict = judgeFailure(error);
      if (verdict === "failed" || verdict === "index" || verdict === "stop") waiting.tried = true;
      // The store takes a damaged index off by itself, and never rebuilds it here.
      if (verdict !== "index") return { kind: verdict, error };
      if (tries === 2) return { kind: "failed", error };
    }
  }
}

/** Forgets a message that the store has: its file goes last. */
function finish(state: TranscriptState, queue: SessionQueue, waiting: WaitingMessage, receipt: MessageReceipt): void {
  const { file, messageUid, sessionKey } = waiting;
  const { id: messageId, sessionId, existing } = receipt;
  if (file !== undefined) {
    try {
      state.parts.spool.remove(file);
    } catch (error) {
      // It will be replayed, and found stored.
      state.warn({
        level: "warning",
        what: "unspool_failed",
        sessionId,
        sessionKey,
        failures: 0,
        error: asError(error),
      });
    }
  }
  queue.remove(waiting);
  queue.failures = 0;
  queue.problem = undefined;
  state.counters.stored += 1;
  if (existing) state.counters.existing += 1;
  waiting.resolve({ state: "stored", durable: true, sessionId, messageId, messageUid, existing });
}

/** Has the router make the row of a session that has none yet, then tries once more (GWS-11). */
async function attemptWithRow(
  state: TranscriptState,
  sessionId: string,
  waiting: WaitingMessage,
  message: IdentifiedMessage,
): Promise<Attempt> {
  const first = await attempt(state, sessionId, waiting, message);
  const { routes } = state.parts;
  if (first.kind !== "missing" || waiting.sessionKey === null || !routes.materialize) return first;
  if ((await routes.materialize(waiting.sessionKey, sessionId)) === undefined) return first;
  return attempt(state, sessionId, waiting, message);
}

async function moved(
  state: TranscriptState,
  queue: SessionQueue,
  to: string,
  stored: readonly WaitingMessage[],
): Promise<Delivery> {
  await moveQueue(state, queue, to, stored);
  return { kind: "moved", to };
}

/** Stores the head in the session its conversation goes on in; then all that waits behind it waits there. */
async function storeInTip(
  state: TranscriptState,
  queue: SessionQueue,
  waiting: WaitingMessage,
  message: IdentifiedMessage,
  tip: string,
): Promise<Delivery | Closed> {
  return state.lanes.run(tip, async (): Promise<Delivery | Closed> => {
    const [first] = state.waitingFor(tip);
    // Somebody knew the tip before: what was said there first is stored first.
    if (first && byArrival(first, waiting) < 0) return moved(state, queue, tip, []);
    const stored = await attempt(state, tip, waiting, message);
    if (stored.kind !== "stored") {
      return { kind: stored.kind === "missing" ? "failed" : stored.kind, error: stored.error };
    }
    const { failures, problem } = queue;
    finish(state, queue, waiting, stored.receipt);
    Object.assign(queue, { failures, problem });
    return moved(state, queue, tip, [waiting]);
  });
}

/** A compaction closed the session: goes along the whole chain to its live tip (GWS-05, P16). */
async function reroute(
  state: TranscriptState,
  queue: SessionQueue,
  waiting: WaitingMessage,
  message: IdentifiedMessage,
  closed: unknown,
): Promise<Delivery> {
  let error = closed;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const { state: standing, tip, tipLive } = await state.parts.port.standing(queue.sessionId);
    // A compaction holds it, or has just given it back: it will take messages, or have a tip.
    if (standing !== "closed" || tip === queue.sessionId) return { kind: "failed", error };
    if (!tipLive) return { kind: "refused", error: noLiveTip(queue.sessionId, tip) };
    await placeBacklogs(state, queue);
    const delivery = await storeInTip(state, queue, waiting, message, tip);
    if (delivery.kind !== "closed") return delivery;
    error = delivery.error;
  }
  return { kind: "failed", error };
}

function delivered(error: unknown): Delivery {
  if (isStateError(error, "STATE_E_SPOOL_FILE_BAD")) return { kind: "refused", error };
  return { kind: judgeFailure(error) === "stop" ? "stop" : "failed", error };
}

/** Tries to store the head of a queue, in its lane. Never throws. */
export async function deliver(state: TranscriptState, queue: SessionQueue, waiting: WaitingMessage): Promise<Delivery> {
  waiting.busy = true;
  try {
    const message = textOf(state, waiting);
    if (message === undefined) return { kind: "gone" };
    const result = await attemptWithRow(state, queue.sessionId, waiting, message);
    switch (result.kind) {
      case "stored":
        finish(state, queue, waiting, result.receipt);
        return { kind: "stored" };
      case "closed":
        return await reroute(state, queue, waiting, message, result.error);
      case "missing":
        return { kind: "refused", error: result.error };
      default:
        return { kind: result.kind, error: result.error };
    }
  } catch (error) {
    return delivered(error);
  } finally {
    waiting.busy = false;
  }
}
