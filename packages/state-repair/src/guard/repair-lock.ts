import { setImmediate } from "node:timers/promises";
import { acquireKernelLock, canonicalPath, LOCK_SUFFIX, StateError, throwIfAborted } from "@hermes/state-core";
import type { Clock, LockAttempt } from "@hermes/state-core";
import { claimRepair } from "./repair-claim.js";

const POLL_MS = 100;

/** How long a repair waits for another one before it adopts the other's result. */
export const REPAIR_LOCK_WAIT_MS = 120_000;

/**
 * How work under the repair lock ended.
 *
 * - `ran`: it had the lock, and this is what it returned;
 * - `held`: another repair has it, `pid` when it says who: look at the file again, and adopt its result;
 * - `failed`: the lock cannot be had on this machine, so there is no surgery.
 */
export type RepairLockResult<T> =
  | { readonly kind: "ran"; readonly value: T }
  | { readonly kind: "held"; readonly pid: number | undefined }
  | { readonly kind: "failed"; readonly cause: unknown };

async function acquire(
  file: string,
  clock: Clock,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<LockAttempt> {
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const attempt = acquireKernelLock(file, 0, clock);
    if (attempt.kind !== "held" || clock.monotonicMs() + POLL_MS > deadline) return attempt;
    clock.sleep(POLL_MS);
    await setImmediate();
    throwIfAborted(signal);
  }
}

/**
 * Runs `fn` under the lock that keeps two repairs of one database apart, in this process and in every other, the peer
 * among them. It ends with the process, and a provably dead holder's is broken.
 *
 * @param path - The database; the lock is `<db>.repair.lock` and is never deleted.
 * @param waitMs - How long to ask while another process repairs; 0 asks once.
 * @param fn - Runs at most once.
 * @throws what `fn` throws, and the reason of an aborted `signal`. Source of the rule: REP-08.
 */
export async function withRepairLock<T>(
  path: string,
  clock: Clock,
  waitMs: number,
  fn: () => T | Promise<T>,
  signal?: AbortSignal,
): Promise<RepairLockResult<T>> {
  using claim = claimRepair(path);
  if (!claim) return { kind: "held", pid: process.pid };
  const attempt = await acquire(canonicalPath(path) + LOCK_SUFFIX.repair, clock, waitMs, signal);
  if (attempt.kind === "held") return { kind: "held", pid: attempt.holder?.pid };
  if (attempt.kind === "failed") return { kind: "failed", cause: attempt.cause ?? attempt.errno };
  try {
    return { kind: "ran", value: await fn() };
  } finally {
    attempt.release();
  }
}

/** Why there was no surgery, for a caller that found the file still damaged after it did not get the lock. */
export function repairLockRefusal(
  path: string,
  result: { kind: "held"; pid: number | undefined } | { kind: "failed"; cause: unknown },
): StateError {
  const lock = canonicalPath(path) + LOCK_SUFFIX.repair;
  if (result.kind === "held") {
    const who = result.pid === undefined ? "Another process" : `Process ${String(result.pid)}`;
    return new StateError(
      "STATE_E_REPAIR_LOCKED",
      `${who} is repairing ${path}; nothing was changed here. Wait for its end, then look again: hermes-state check.`,
      { path, lock, pid: result.pid },
    );
  }
  const { cause } = result;
  const reason = cause instanceof Error ? cause.message : `errno ${String(cause)}`;
  return new StateError(
    "STATE_E_REPAIR_LOCK_FAILED",
    `The repair lock ${lock} cannot be taken (${reason}), so two repairs could meet; nothing was changed. Make the ` +
      "folder writable, or copy the database with its -wal, -shm and -journal to a local disk and repair it there.",
    { path, lock, reason },
    { cause },
  );
}
