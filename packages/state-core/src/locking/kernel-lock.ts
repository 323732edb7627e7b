import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { constants } from "node:os";
import type { Clock } from "../clock/clock.js";
import { releaseFlock, tryFlock } from "./flock.js";

const POLL_MS = 100;
const CONTENTION = new Set([
  constants.errno.EAGAIN,
  constants.errno.EWOULDBLOCK,
  constants.errno.EACCES,
  constants.errno.EDEADLK,
]);

/**
 * How an attempt to take a kernel lock ended. `held` names no pid when the holder left no record; `failed` is an
 * environment error, which says nothing about a holder and is not worth waiting for.
 */
export type LockAttempt =
  | { readonly kind: "acquired"; readonly release: () => void }
  | { readonly kind: "held" }
  | { readonly kind: "failed"; readonly errno: number | undefined; readonly cause: unknown };

function startTicks(): number | null {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  } catch {
    // Without a process table a dead holder cannot be proven dead; the lock itself still works.
    return null;
  }
}

/** The record a peer reads to tell a dead holder from a live one (docs/locking.md). */
function writeRecord(descriptor: number, clock: Clock): void {
  const record = JSON.stringify({ acquired_at: clock.now(), pid: process.pid, start_ticks: startTicks() });
  ftruncateSync(descriptor, 0);
  writeSync(descriptor, record, 0);
}

/** A holder that broke a stale lock replaces the file: a lock on the old inode excludes nobody. */
function stillNamed(descriptor: number, path: string): boolean {
  const mine = fstatSync(descriptor);
  const named = statSync(path, { throwIfNoEntry: false });
  return named?.dev === mine.dev && named.ino === mine.ino;
}

function release(descriptor: number): void {
  try {
    ftruncateSync(descriptor, 0);
    releaseFlock(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function attempt(path: string, clock: Clock): LockAttempt {
  let descriptor: number;
  try {
    descriptor = openSync(path, "a+", 0o600);
  } catch (cause) {
    return { kind: "failed", errno: (cause as NodeJS.ErrnoException).errno, cause };
  }
  const errno = tryFlock(descriptor);
  if (errno === 0 && stillNamed(descriptor, path)) {
    writeRecord(descriptor, clock);
    return { kind: "acquired", release: () => release(descriptor) };
  }
  closeSync(descriptor);
  if (errno === 0 || CONTENTION.has(errno)) return { kind: "held" };
  return { kind: "failed", errno, cause: undefined };
}

/**
 * Takes an exclusive kernel lock on a lock file, shared with processes that use `fcntl.flock`; it ends with the
 * process.
 *
 * @param path - The lock file, created 0600; it is never deleted.
 * @param waitMs - How long to poll while another process holds it; 0 asks once.
 */
export function acquireKernelLock(path: string, waitMs: number, clock: Clock): LockAttempt {
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const result = attempt(path, clock);
    if (result.kind !== "held" || clock.monotonicMs() + POLL_MS > deadline) return result;
    clock.sleep(POLL_MS);
  }
}
