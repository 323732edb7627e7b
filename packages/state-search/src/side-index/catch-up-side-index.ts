import { throwIfAborted, type ProgressOptions } from "@hermes/state-core";
import { stepSideIndex, type FollowedStore } from "./catch-up.js";

const BUDGET = { rows: 5_000, characters: 2_000_000 };
/** How often a step may find that another process was faster. */
const MOST_LOST = 20;

/**
 * How catching up ended: `done` when the side index holds every message; `unavailable` when it cannot be kept now,
 * which only costs time: the store is open for reading only, its word index is detached, pending or of an older kind,
 * or the file beside it cannot be written.
 */
export interface SideCatchUp {
  readonly outcome: "done" | "unavailable";
  /** Messages that were looked at. */
  readonly looked: number;
}

/**
 * Brings the side index of a store up to date, however far behind it is. Searches do so by themselves, a small step at
 * a time; call it when there is time for it, such as after an import or while optimizing.
 *
 * The side index is a file beside the store (`<store>.search-side`) from which the rows that the word index cannot
 * know are found: Chinese, Japanese, Korean, Thai, emoji, words glued to them. Answers never depend on it. It is
 * derived, may be deleted at any time (see {@link dropSideIndex}), and never locks or changes the store.
 *
 * @param options - Progress counts messages; an abort is noticed between two steps, and what was done stays.
 * @returns How it ended.
 * @throws What reading the store throws, and the reason of the signal.
 *
 * @example
 * ```ts
 * catchUpSideIndex(store, { onProgress: ({ done }) => console.log(done) });
 * ```
 */
export function catchUpSideIndex(store: FollowedStore, options: ProgressOptions = {}): SideCatchUp {
  let looked = 0;
  for (let lost = 0; lost < MOST_LOST;) {
    throwIfAborted(options.signal);
    const step = stepSideIndex(store, BUDGET, Number.POSITIVE_INFINITY);
    looked += step.looked;
    options.onProgress?.({ phase: "side-index", done: looked, total: undefined });
    if (step.outcome === "done" || step.outcome === "unavailable") return { outcome: step.outcome, looked };
    if (step.outcome === "lost") lost += 1;
  }
  return { outcome: "unavailable", looked };
}
