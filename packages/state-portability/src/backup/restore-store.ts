import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  canonicalPath,
  checkKnownOptions,
  findHolders,
  guardTestIsolation,
  openOfflineScope,
  SIDECAR_SUFFIXES,
  StateError,
  systemClock,
  systemRandom,
} from "@hermes/state-core";
import type { Clock, Holder, HolderScan, ProgressOptions, Random } from "@hermes/state-core";
import {
  findLiveWriter,
  liveWriterRefusal,
  REPAIR_LOCK_WAIT_MS,
  repairLockRefusal,
  takeForensicBundle,
  withRepairLock,
} from "@hermes/state-repair";
import type { SpaceProbe } from "@hermes/state-repair";
import { dropSideIndex } from "@hermes/state-search";
import { backupInvalid, typedCopyError } from "./backup-errors.js";
import type { BackupRecord } from "./backup-record.js";
import { checkRoom } from "./check-room.js";
import { reachStage } from "./stages.js";
import { hasPendingParts, stageRestore, sweepRestore } from "./stage-restore.js";
import { switchStore } from "./switch-store.js";
import { verifyBackup } from "./verify-backup.js";
import type { BackupVerification } from "./verify-backup.js";

/** How to restore. */
export interface RestoreOptions extends ProgressOptions {
  /** Copy what is there, with its sidecars, before it is replaced. Default true. */
  readonly keepCurrent?: boolean;
  /** Milliseconds to wait for a repair of the store that is under way. */
  readonly lockWaitMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Room on the volume; asked of the system when not given. */
  readonly space?: SpaceProbe;
  /** Looks for other processes; injected for tests. */
  readonly scan?: (path: string) => HolderScan;
}

/** What a restore did. */
export interface RestoreReport {
  /** Real path of the store. */
  readonly path: string;
  readonly backup: string;
  readonly record: BackupRecord | undefined;
  readonly bytes: number;
  /** Of the backup, and of the store now. */
  readonly sha256: string;
  /** True when there was a store. */
  readonly replaced: boolean;
  /** A copy of what was there, with its sidecars; null when nothing was there, or none was wanted. */
  readonly safetyCopy: string | null;
  /** Sidecars of the old store that are gone, by suffix. */
  readonly removedSidecars: readonly string[];
  /** Who opened the file during the last steps: their handles are on the old file, and their next write is refused. */
  readonly openedMeanwhile: readonly Holder[];
}

const OPTION_NAMES = ["keepCurrent", "lockWaitMs", "clock", "random", "space", "scan", "onProgress", "signal"] as const;

interface Job extends ProgressOptions {
  readonly file: string;
  readonly path: string;
  readonly verified: BackupVerification & { readonly sha256: string };
  readonly keepCurrent: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly space: SpaceProbe | undefined;
  readonly scan: (path: string) => HolderScan;
}

function refuseHeld({ path, scan }: Job): void {
  const writer = findLiveWriter(path, { scan });
  if (writer) throw liveWriterRefusal(path, "restore", writer);
}

/** Size, time and identity of the files that hold pages: what tells that somebody wrote. */
function stateOfFiles(path: string): string {
  const parts = ["", "-wal", "-journal"].map((suffix) => {
    const stat = statSync(path + suffix, { throwIfNoEntry: false });
    return stat && stat.size > 0 ? `${String(stat.ino)}:${String(stat.size)}:${String(stat.mtimeMs)}` : "";
  });
  return parts.join("|");
}

function presentSidecars(path: string): string[] {
  return SIDECAR_SUFFIXES.filter((suffix) => existsSync(path + suffix));
}

/** A log or journal whose store is gone cannot be bundled, and must not be dropped unasked. */
function refuseOrphans({ path }: Job): void {
  if (!hasPendingParts(path)) return;
  const sidecars = presentSidecars(path);
  throw new StateError(
    "STATE_E_ORPHANED_LOG",
    `There is no store at ${path}, but ${sidecars.join(" and ")} of one. They may hold the newest rows of a file ` +
      "that was moved away. Nothing was changed. Move them away, or restore without keeping what is there.",
    { path, sidecars },
  );
}

/** Copies what is there, so that a restore can be taken back. */
async function keepWhatIsThere(job: Job): Promise<string | null> {
  const { path, clock, space, onProgress, signal } = job;
  if (!job.keepCurrent) return null;
  if (!existsSync(path)) {
    refuseOrphans(job);
    return null;
  }
  const bundle = await takeForensicBundle(path, { clock, ...(space && { space }), onProgress, signal });
  if (bundle.kind !== "refused") return bundle.path;
  throw new StateError(
    bundle.reason === "space" ? "STATE_E_DISK_FULL" : "STATE_E_BACKUP_FAILED",
    `Not restored: ${path} could not be copied first. ${bundle.message}`,
    { path, reason: bundle.reason },
    { cause: bundle.cause },
  );
}

async function restoreLocked(job: Job): Promise<RestoreReport> {
  const { file, path, verified } = job;
  const { bytes, sha256, record } = verified;
  reachStage(path, "locked");
  sweepRestore(path);
  refuseHeld(job);
  const replaced = existsSync(path);
  const before = stateOfFiles(path);
  const safetyCopy = await keepWhatIsThere(job);
  reachStage(path, "kept");
  try {
    checkRoom(path, `restoring ${file}`, bytes * (hasPendingParts(path) ? 2 : 1), job.space);
    const staged = await stageRestore(file, path, { bytes, sha256 }, job);
    const removedSidecars = presentSidecars(path);
    refuseHeld(job);
    if (stateOfFiles(path) !== before) throw liveWriterRefusal(path, "restore", { via: "written", holders: [] });
    reachStage(path, "prepared");
    // It may not outlive the rows it was made of; the old store makes it again if we go no further.
    dropSideIndex(path);
    reachStage(path, "index-dropped");
    {
      using scope = openOfflineScope(path);
      switchStore(scope.path, staged);
    }
    reachStage(path, "settled");
    const openedMeanwhile = job.scan(path).holders;
    return { path, backup: file, record, bytes, sha256, replaced, safetyCopy, removedSidecars, openedMeanwhile };
  } finally {
    sweepRestore(path);
  }
}

function sameFile(a: string, b: string): boolean {
  const [first, second] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

function checkTarget(file: string, path: string): void {
  if (sameFile(file, path)) throw backupInvalid(file, ["it is the store itself"]);
  const refuse = (reason: string): never => {
    throw new StateError("STATE_E_RESTORE_TARGET", `Cannot restore to ${path}: ${reason}. Name the file of a store.`, {
      path,
      reason,
    });
  };
  if (!existsSync(dirname(path))) refuse("its folder does not exist");
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) refuse("this is no regular file");
}

async function verified(file: string, clock: Clock, options: RestoreOptions): Promise<Job["verified"]> {
  const { onProgress, signal } = options;
  const found = await verifyBackup(file, { clock, onProgress, signal });
  if (!found.ok || found.sha256 === undefined) throw backupInvalid(found.path, found.problems);
  return { ...found, sha256: found.sha256 };
}

/**
 * Puts a backup in the place of a store. The backup is verified first, as {@link verifyBackup} does; nobody may have
 * the store open; what is there is kept as a bundle beside it. Log, shared memory and journal of the old store are
 * never read together with the restored one, not even when the process is killed between two steps: the next open sees
 * the one store or the other, whole. Handles that were opened meanwhile find their file replaced (POR-07).
 *
 * @param file - The backup; it stays as it is.
 * @param path - The store, which need not exist. A link is followed.
 * @throws STATE_E_BACKUP_INVALID, STATE_E_STORE_HELD, STATE_E_REPAIR_LOCKED, STATE_E_DISK_FULL, STATE_E_RESTORE_TARGET,
 * STATE_E_ORPHANED_LOG, STATE_E_TEST_ISOLATION (COR-12); the signal's reason; TypeError for unknown options.
 */
export async function restoreStore(file: string, path: string, options: RestoreOptions = {}): Promise<RestoreReport> {
  checkKnownOptions("restoreStore", options, OPTION_NAMES);
  const { clock = systemClock, random = systemRandom, keepCurrent = true, scan = findHolders } = options;
  const { lockWaitMs = REPAIR_LOCK_WAIT_MS, onProgress, signal, space } = options;
  const real = canonicalPath(path);
  guardTestIsolation(real);
  try {
    checkTarget(file, real);
    const found = await verified(file, clock, options);
    const job = { file: found.path, path: real, verified: found, keepCurrent, clock, random, space, scan };
    const run = (): Promise<RestoreReport> => restoreLocked({ ...job, onProgress, signal });
    const result = await withRepairLock(real, clock, lockWaitMs, run, signal);
    if (result.kind === "ran") return result.value;
    throw repairLockRefusal(real, result);
  } catch (error) {
    throw typedCopyError(error, "restore", real);
  }
}
