import type { Random } from "../clock/random.js";
import type { PatienceClass } from "../store/context.js";

/** Patience of each class of write, in milliseconds (GND-05). */
export type Patience = Readonly<Record<PatienceClass, number>>;

export const DEFAULT_PATIENCE: Patience = { routine: 20_000, transcript: 60_000, activity: 500 };

const FAST_PHASE_MS = 2_000;
const FAST = { least: 20, most: 150 };
const SLOW = { least: 250, most: 1_000 };

/**
 * How long to sleep before the next attempt: random, since equal delays make waiting writers move in step.
 *
 * @param waitedMs - How long this write has waited already.
 * @param leftMs - What is left of its patience; the delay never passes it.
 */
export function retryDelayMs(waitedMs: number, leftMs: number, random: Random): number {
  const range = waitedMs < FAST_PHASE_MS ? FAST : SLOW;
  return Math.min(leftMs, range.least + random.next() * (range.most - range.least));
}
