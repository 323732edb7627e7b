import { closeSync } from "node:fs";
import type { Clock } from "../clock/clock.js";
import { breakDeadLock } from "./break-dead-lock.js";
import { releaseFlock, tryFlock } from "./flock.js";
import { blankRecord, readRecord, writeRecord } from "./holder-record.js";
import type { HolderRecord } from "./holder-record.js";
import { isContention, openLockFile, stillNamed, underFolderLock } from "./lock-file.js";

const POLL_MS = 100;
/** How long a dead holder's lock is waited for before it is broken, and how long the new one is fought for then. */
const BREAK_AFTER_MS = 2_000;
const RETAKE_MS = 5_000;

/**
 * How an attempt to take a kernel lock ended. `held` names no holder when it left no record; `failed` is an
 * environment error, which says nothing about a holder and is not worth waiting for.
 */
export type LockAttempt =
  | { readonly kind: "acquired"; readonly release: () => void }
  | { readonly kind: "held"; readonly holder: HolderRecord | undefined }
  | { readonly kind: "failed"; readonly errno: number | undefined; readonly cause: unknown };

function release(descriptor: number): void {
  try {
    blankRecord(descriptor);
    releaseFlock(descriptor);
  } catch {
    // The record stays behind; the lock ends with the descriptor all the same.
  } finally {
    closeSync(descriptor);
  }
}

function failed(cause: unknown): LockAttempt {
  return { kind: "failed", errno: (cause as NodeJS.ErrnoException | null)?.errno, cause };
}

/** Takes the lock of an open file, or says why not; the descriptor stays open only when it is taken. */
function takeOpen(path: string, descriptor: number, clock: Clock): LockAttempt {
  let taken = false;
  try {
    const errno = tryFlock(descriptor);
    if (errno !== 0) {
      return isContention(errno)
        ? { kind: "held", holder: readRecord(descriptor) }
        : { kind: "failed", errno, cause: undefined };
    }
    if (!stillNamed(descriptor, path)) return { kind: "held", holder: undefined };
    writeRecord(descriptor, clock);
    // A breaker that does not know the folder lock may have replaced the file before it could read the record.
    if (!stillNamed(descriptor, path)) return { kind: "held", holder: undefined };
    taken = true;
    return { kind: "acquired", release: () => release(descriptor) };
  } finally {
    if (!taken) closeSync(descriptor);
  }
}

/** One attempt, without waiting. Whatever the system refuses is `failed`: without a record there is no lock. */
function attempt(path: string, clock: Clock): LockAttempt {
  try {
    const take = (): LockAttempt => takeOpen(path, openLockFile(path), clock);
    const under = underFolderLock(path, "shared", take);
    if (under.kind === "ran") return under.value;
    return under.kind === "busy" ? { kind: "held", holder: undefined } : take();
  } catch (cause) {
    return failed(cause);
  }
}

/** The same on a file that is replaced first, if its recorded holder is provably dead. */
function attemptBreaking(path: string, clock: Clock): LockAttempt | undefined {
  try {
    return breakDeadLock(path, () => takeOpen(path, openLockFile(path), clock));
  } catch (cause) {
    return failed(cause);
  }
}

/**
 * Takes an exclusive kernel lock on a lock file, shared with processes that use `fcntl.flock`; it ends with the
 * process. A lock that outlives its holder in a forked child is broken once, if the holder is provably dead; a file of
 * no bytes is no holder (SEA-09, REP-08).
 *
 * @param path - The lock file, created 0600; it is never deleted in normal use.
 * @param waitMs - How long to poll while another process holds it; 0 asks once.
 */
export function acquireKernelLock(path: string, waitMs: number, clock: Clock): LockAttempt {
  const started = clock.monotonicMs();
  const breakAt = started + Math.min(waitMs, BREAK_AFTER_MS);
  let deadline = started + waitMs;
  let mayBreak = true;
  for (;;) {
    let result = attempt(path, clock);
    if (result.kind === "held" && mayBreak && clock.monotonicMs() + POLL_MS > breakAt) {
      const broken = attemptBreaking(path, clock);
      if (broken) {
        mayBreak = false;
        deadline = Math.max(deadline, clock.monotonicMs() + RETAKE_MS);
        result = broken;
      }
    }
    if (result.kind !== "held" || clock.monotonicMs() + POLL_MS > deadline) return result;
    clock.sleep(POLL_MS);
  }
}
