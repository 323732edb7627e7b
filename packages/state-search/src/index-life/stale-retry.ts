import type { RebuildAdmission, RebuildObstacle } from "@hermes/state-schema";

/** Why there is nothing to recover, or not now. */
export type IdleReason = "not-stale" | "readonly" | "quarantined" | "no-fts5" | "backoff";

/** What one call of {@link retryStaleRecovery} came to. */
export type StaleRetry =
  /** The index was replaced; what `pending` says is still to be indexed comes in steps of a backfill. */
  | { readonly kind: "recovered"; readonly pending: boolean }
  /** The index was not stale but waited to be filled, and was filled further. */
  | { readonly kind: "continued"; readonly pending: boolean }
  /** Nothing was tried. */
  | { readonly kind: "idle"; readonly because: IdleReason }
  /** Others have the file open, or rebuild; it is tried again later. */
  | {
      readonly kind: "deferred";
      readonly reason: Extract<RebuildAdmission, { kind: "deferred" }>["reason"];
      readonly holders: readonly RebuildObstacle[];
    }
  /** Something went wrong; the index stays detached and it is tried again later. */
  | { readonly kind: "failed"; readonly error: { readonly code: string; readonly message: string } };
