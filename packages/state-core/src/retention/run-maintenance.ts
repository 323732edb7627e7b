import { META_KEYS } from "@hermes/state-schema";
import { isStateError } from "../errors/state-error.js";
import { LOCK_SUFFIX } from "../files/file-names.js";
import { acquireKernelLock } from "../locking/kernel-lock.js";
import { Meta } from "../meta/meta.js";
import type { StoreContext } from "../store/context.js";

/** Why a maintenance run did nothing. */
export type MaintenanceSkip = "readonly" | "not-due" | "locked";

/** An error that was reported instead of thrown. */
export interface MaintenanceError {
  readonly code: string;
  readonly message: string;
}

/** How a maintenance run ended. */
export interface MaintenanceOutcome {
  /** Undefined when it ran. */
  readonly skipped: MaintenanceSkip | undefined;
  /** The first thing that failed; what was done before it stays done. */
  readonly error: MaintenanceError | undefined;
}

/** Keys under which maintenance remembers when it last ran. */
export type MaintenanceKey = "lastAutoPrune" | "lastVacuum" | "lastAutoArchive";

/** An error in words; only those of this package have a code of their own. */
export function summarizeError(error: unknown): MaintenanceError {
  const message = error instanceof Error ? error.message : String(error);
  return { code: isStateError(error) ? error.code : "STATE_E_UNKNOWN", message };
}

/**
 * True when something last done at the stored moment is to be done again. What cannot be read, and a moment that is
 * yet to come, say nothing.
 *
 * @param every - Seconds between two runs.
 */
export function isDue(context: StoreContext, key: MaintenanceKey, every: number): boolean {
  const last = Number.parseFloat(new Meta(context).get(META_KEYS[key].key) ?? "");
  const now = context.clock.now();
  return !(last <= now && now - last < every);
}

/** Remembers that something was done now. */
export function markDone(context: StoreContext, key: MaintenanceKey): void {
  new Meta(context).set(META_KEYS[key].key, String(context.clock.now()));
}

/** Runs `work` if it is due and no other process maintains the store; never throws what `work` throws. */
export function runMaintenance(
  context: StoreContext,
  key: MaintenanceKey,
  every: number,
  work: () => void,
): MaintenanceOutcome {
  if (context.readonly) return { skipped: "readonly", error: undefined };
  try {
    if (!isDue(context, key, every)) return { skipped: "not-due", error: undefined };
    const lock = acquireKernelLock(context.path + LOCK_SUFFIX.autoMaintenance, 0, context.clock);
    if (lock.kind === "held") return { skipped: "locked", error: undefined };
    if (lock.kind === "failed") return { skipped: "locked", error: summarizeError(lock.cause ?? "no lock") };
    try {
      // Whoever held the lock until just now may have done it.
      if (!isDue(context, key, every)) return { skipped: "not-due", error: undefined };
      work();
      return { skipped: undefined, error: undefined };
    } finally {
      lock.release();
    }
  } catch (error) {
    return { skipped: undefined, error: summarizeError(error) };
  }
}
