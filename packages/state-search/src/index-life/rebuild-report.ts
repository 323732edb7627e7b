import type { DeferralReason, RebuildObstacle } from "@hermes/state-schema";

/** The indexes were built anew. */
export interface IndexesRebuilt {
  readonly ok: true;
  /** Names of the indexes that are there now. */
  readonly indexes: readonly string[];
  /** An index that could not be built; the others were. */
  readonly failed: readonly RebuildFailure[];
  /** True when rows are still to be indexed, because the file stayed busy: a backfill does that. */
  readonly pending: boolean;
  /** Tables of the old index whose pages could not be read: they stay unused in the file until a vacuum. */
  readonly lost: readonly string[];
}

/** Nothing was rebuilt. */
export interface IndexesNotRebuilt {
  readonly ok: false;
  /** Others have the file open or rebuild, no lock is to be had, or the index cannot be replaced. */
  readonly reason: DeferralReason | "readonly" | "no-fts5" | "failed";
  /** Who stands in the way, where that is known. */
  readonly holders: readonly RebuildObstacle[];
  /** What the system said, for `lock-failed`. */
  readonly errno: number | undefined;
  /** What went wrong, for `failed`. */
  readonly failed: readonly RebuildFailure[];
}

/** What {@link rebuildIndexes} did. */
export type RebuildReport = IndexesRebuilt | IndexesNotRebuilt;

/** One index that could not be built. */
export interface RebuildFailure {
  readonly index: string;
  readonly code: string;
  readonly message: string;
}
