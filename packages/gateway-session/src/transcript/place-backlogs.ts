import { moveQueue } from "./move-queue.js";
import type { SessionQueue } from "./session-queue.js";
import type { TranscriptState } from "./transcript-state.js";

/**
 * Finds out, before anything is stored, where the sessions of left-over messages go on: what is said there now comes
 * behind them. Every drainer waits for the one answer.
 */
export async function placeLeftOvers(state: TranscriptState): Promise<void> {
  if (state.unplaced.size === 0) return;
  state.placing ??= place(state).finally(() => (state.placing = undefined));
  await state.placing;
}

async function place(state: TranscriptState): Promise<void> {
  const asked = [...state.unplaced];
  const standings = await state.parts.port.standings(asked);
  const published: Promise<unknown>[] = [];
  for (const from of asked) {
    state.unplaced.delete(from);
    const { state: standing, tip = from, tipLive } = standings.get(from) ?? {};
    // It may have gone a part of the way already.
    const queue = state.queueOf(state.currentOf(from));
    // One that is being drained finds out by itself, and keeps its order.
    const moves = standing === "closed" && tipLive && tip !== queue.sessionId && !queue.head?.busy;
    if (moves) published.push(moveQueue(state, queue, tip, []));
    else state.forget(queue);
  }
  await Promise.all(published);
}

/**
 * The same for whatever else waits, when a session turns out to be closed: others of the same conversation may be too,
 * and what waits for them came in first.
 */
export async function placeBacklogs(state: TranscriptState, own: SessionQueue): Promise<void> {
  for (const queue of state.queues) if (queue !== own && queue.head) state.unplaced.add(queue.sessionId);
  await placeLeftOvers(state);
}
