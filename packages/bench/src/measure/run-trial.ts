import { summarize } from "./result.js";
import type { Result } from "./result.js";
import type { Trial } from "./trial.js";

/** Runs a trial: one round to warm up, then `rounds` counted ones, the two sides in turn. */
export function runTrial(trial: Trial, rounds: number): Result {
  if (trial.firstRoundCounts !== true) trial.round(true);
  const counted = Array.from({ length: rounds }, (_, index) => trial.round(index % 2 === 0));
  return summarize(trial, counted);
}
