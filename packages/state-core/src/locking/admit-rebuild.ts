import type { RebuildAdmission } from "@hermes/state-schema";
import type { Clock } from "../clock/clock.js";
import { LOCK_SUFFIX } from "../files/file-names.js";
import { findHolders } from "./find-holders.js";
import { acquireKernelLock } from "./kernel-lock.js";

/** How long a rebuild waits for another one to end. */
export const REBUILD_WAIT_MS = 120_000;

/** How the right to rebuild is asked for. */
export interface AdmissionRequest {
  /** Canonical path of the database. */
  readonly path: string;
  readonly clock: Clock;
  /** How long another rebuild is waited for; default {@link REBUILD_WAIT_MS}, 0 asks once. */
  readonly waitMs?: number;
  /** Skip the look for other processes that have the file open: only when somebody asked for this rebuild. */
  readonly besideOthers?: boolean;
  /** Folder of the process table; tests have one of their own. */
  readonly processTable?: string;
}

/**
 * Asks for the right to rebuild a search index from scratch: nobody else has the file open, and no other process
 * rebuilds. It fails closed, since two rebuilds of one file at once can break it (SEA-09, SEA-10).
 */
export function admitRebuild(request: AdmissionRequest): RebuildAdmission {
  const { path, clock, waitMs = REBUILD_WAIT_MS, besideOthers = false } = request;
  if (!besideOthers) {
    const { holders } = findHolders(path, request.processTable);
    if (holders.length > 0) return { kind: "deferred", reason: "held-open", holders, errno: undefined };
  }
  const lock = path + LOCK_SUFFIX.ftsRebuild;
  const attempt = acquireKernelLock(lock, waitMs, clock);
  if (attempt.kind === "acquired") return { kind: "admitted", release: attempt.release };
  if (attempt.kind === "failed") return { kind: "deferred", reason: "lock-failed", holders: [], errno: attempt.errno };
  const holders = attempt.holder ? [{ pid: attempt.holder.pid, files: [lock], command: "" }] : [];
  return { kind: "deferred", reason: "locked", holders, errno: undefined };
}
