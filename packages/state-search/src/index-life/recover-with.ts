import { isStateError } from "@hermes/state-core";
import { readIndexState, recoverIndex, type SqliteCapabilities } from "@hermes/state-schema";
import { pendingBackfill, stepBackfill } from "./backfill.js";
import { type AskAdmission, type RecoverableStore, recoveryHost } from "./recovery-host.js";
import type { IdleReason, StaleRetry } from "./stale-retry.js";

const FIRST_DELAY_MS = 60_000;
const LONGEST_DELAY_MS = 3_600_000;

interface Backoff {
  /** Monotonic milliseconds before which nothing is tried. */
  readonly nextAt: number;
  readonly delayMs: number;
  /** Who had the file open when it was last tried. */
  readonly holders: string;
}

/** Per handle: another handle of the same file has its own patience, and a closed one takes its own with it. */
const backoffs = new WeakMap<object, Backoff>();

/** What a retry asks of the system; injected by tests. */
export interface RecoverySurroundings {
  readonly ask: AskAdmission;
  /** Ids of the other processes that have the file open, in one text. */
  readonly holders: () => string;
  /** How many steps of 500 ids an index that was replaced is filled by at once. */
  readonly steps: number;
}

/** See {@link retryStaleRecovery}. */
export function recoverWith(store: RecoverableStore, around: RecoverySurroundings): StaleRetry {
  try {
    const idle = idleBecause(store);
    if (idle !== undefined) {
      // A handle that is of no use any more, or has no need, begins anew if that changes.
      backoffs.delete(store);
      return idle === "not-stale" ? goOn(store, around.steps) : { kind: "idle", because: idle };
    }
    if (!beginAttempt(store, around.holders())) return { kind: "idle", because: "backoff" };
    return attempt(store, around);
  } catch (error) {
    return { kind: "failed", error: summarize(error) };
  }
}

function idleBecause(store: RecoverableStore): IdleReason | undefined {
  if (store.quarantined) return "quarantined";
  if (store.readonly) return "readonly";
  const { capabilities } = store.info();
  if (!capabilities.fts5) return "no-fts5";
  return store.read((r) => readIndexState(r, capabilities)).stale ? undefined : "not-stale";
}

/** An index that is attached may still be waiting to be filled: whoever began that may be gone. */
function goOn(store: RecoverableStore, steps: number): StaleRetry {
  if (pendingBackfill(store) === undefined) return { kind: "idle", because: "not-stale" };
  return { kind: "continued", pending: fill(store, store.info().capabilities, steps) };
}

/** Sets when it is tried next before it is tried now. @returns False while it is too early. */
function beginAttempt(store: RecoverableStore, holders: string): boolean {
  const now = store.clock.monotonicMs();
  const before = backoffs.get(store);
  const same = before !== undefined && before.holders === holders;
  if (same && now < before.nextAt) return false;
  const delayMs = same ? Math.min(before.delayMs * 2, LONGEST_DELAY_MS) : FIRST_DELAY_MS;
  backoffs.set(store, { nextAt: now + delayMs, delayMs, holders });
  return true;
}

function attempt(store: RecoverableStore, { ask, steps }: RecoverySurroundings): StaleRetry {
  const { capabilities } = store.info();
  const recovery = recoverIndex(recoveryHost(store, "activity", ask), capabilities);
  if (recovery.kind === "deferred") {
    return { kind: "deferred", reason: recovery.reason, holders: recovery.holders };
  }
  backoffs.delete(store);
  if (recovery.kind === "current") return { kind: "idle", because: "not-stale" };
  return { kind: "recovered", pending: fill(store, capabilities, steps) };
}

/** @returns True while rows remain. Whatever ends it early leaves them to the next backfill. */
function fill(store: RecoverableStore, capabilities: SqliteCapabilities, steps: number): boolean {
  try {
    for (let step = 0; step < steps; step += 1) if (stepBackfill(store) !== "more") break;
  } catch {
    // The index is replaced and says itself how far it is: a busy file does not undo that.
  }
  return store.read((r) => readIndexState(r, capabilities)).pending !== undefined;
}

/** An error in words; only those of the store have a code of their own. */
export function summarize(error: unknown): { readonly code: string; readonly message: string } {
  const message = error instanceof Error ? error.message : String(error);
  return { code: isStateError(error) ? error.code : "STATE_E_UNKNOWN", message };
}
