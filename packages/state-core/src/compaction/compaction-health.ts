/** How compactions of a session went lately. */
export interface CompactionHealth {
  /** No compaction before this moment, in REAL seconds; null when none failed. */
  readonly cooldownUntilSeconds: number | null;
  /** Why the last one failed. */
  readonly failure: string | null;
  /** How many in a row used the fallback instead of a summary. */
  readonly fallbackStreak: number;
  /** How many saved too little. */
  readonly ineffectiveCount: number;
  /** Until when a recovery may go on, in REAL seconds. */
  readonly recoveryDeadlineSeconds: number | null;
  /** How many calls in a row found the context too large. */
  readonly overloadStreak: number;
}

/** Counters of {@link CompactionHealth}. */
export type CompactionCounter = "fallbackStreak" | "ineffectiveCount" | "overloadStreak";

/** The counters among {@link CompactionHealth}. */
export const COMPACTION_COUNTERS: readonly CompactionCounter[] = [
  "fallbackStreak",
  "ineffectiveCount",
  "overloadStreak",
];
