import { linkSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  canonicalPath,
  checkKnownOptions,
  guardTestIsolation,
  openMaintenanceConnection,
  SIDECAR_SUFFIXES,
  StateError,
  syncFolder,
  systemClock,
  systemRandom,
  writePrivateFile,
} from "@hermes/state-core";
import type { Clock, ProgressOptions, Random, StoreContext } from "@hermes/state-core";
import { checkStore } from "@hermes/state-repair";
import type { SpaceProbe } from "@hermes/state-repair";
import { META_KEYS, readSchemaVersion } from "@hermes/state-schema";
import { copyUnsound, typedCopyError } from "./backup-errors.js";
import { lockBackups } from "./backup-lock.js";
import { backupBase, backupStamp, freeBackupName, RECORD_SUFFIX } from "./backup-name.js";
import { recordOf } from "./backup-record.js";
import type { BackupRecord } from "./backup-record.js";
import { checkRoom } from "./check-room.js";
import { copyStore } from "./copy-store.js";
import { digestFile } from "./digest-file.js";
import type { Backup } from "./list-backups.js";
import { makePrivateFolder, removeFiles } from "./private-file.js";
import { rotateBackups } from "./rotate-backups.js";
import { reachStage } from "./stages.js";
import { strangers } from "./strangers.js";
import { stagingPrefix, sweepStaging } from "./sweep-staging.js";

/** How to back up. */
export interface BackupOptions extends ProgressOptions {
  /** How many backups of this store stay in the folder, this one among them; all of them when not given. */
  readonly keep?: number | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Room on the volume; asked of the system when not given. */
  readonly space?: SpaceProbe;
}

/** A backup that was made now. */
export interface NewBackup extends Backup {
  /** Older backups that went. */
  readonly evicted: readonly string[];
}

const COUNTS = "SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM messages) AS messages";
const TOKEN = `SELECT value FROM state_meta WHERE key = '${META_KEYS.dbFileGeneration.key}'`;

type Described = Pick<BackupRecord, "counts" | "generation" | "schemaVersion">;

/** Reads the copy; a writer that closes last leaves no sidecar beside it. */
function describe(copy: string): Described {
  using connection = openMaintenanceConnection(copy);
  return {
    counts: connection.get<BackupRecord["counts"]>(COUNTS) ?? { sessions: 0, messages: 0 },
    generation: connection.get<{ value: string }>(TOKEN)?.value ?? null,
    schemaVersion: readSchemaVersion(connection) ?? null,
  };
}

async function verifyCopy(source: string, copy: string, options: ProgressOptions & { clock: Clock }): Promise<void> {
  const { clock, onProgress, signal } = options;
  const { verdict, findings } = await checkStore(copy, { level: "full", clock, onProgress, signal });
  if (verdict === "healthy") return;
  const details = findings.filter(({ severity }) => severity !== "note").map(({ detail }) => detail);
  throw copyUnsound(source, verdict, details);
}

/** Gives a file its name and refuses one that somebody took meanwhile, where the file system can. */
function publish(part: string, target: string): void {
  try {
    linkSync(part, target);
    rmSync(part);
  } catch (error) {
    const taken = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
    if (taken || (error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    // A file system without hard links: the name was free a moment ago.
    renameSync(part, target);
  }
}

/** A database of another program is none of ours to keep. */
function refuseStranger(source: string, copy: string): void {
  const problems = strangers(copy);
  if (problems.length > 0) throw copyUnsound(source, "no copy of a store", problems);
}

interface Job extends ProgressOptions {
  readonly path: string;
  readonly folder: string;
  readonly base: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly space: SpaceProbe | undefined;
}

/** Copies, verifies and names; whatever goes wrong, nothing that counts is left. */
async function makeBackup(job: Job): Promise<Backup> {
  const { path, folder, base, clock } = job;
  const part = join(folder, stagingPrefix(base) + job.random.hex(6));
  const createdAtSeconds = clock.now();
  try {
    const admit = (bytes: number): void => {
      checkRoom(part, `a backup of ${path}`, bytes, job.space);
      reachStage(path, "staged");
    };
    await copyStore(path, part, admit, job);
    reachStage(path, "copied");
    refuseStranger(path, part);
    await verifyCopy(path, part, job);
    const described = describe(part);
    const digest = await digestFile(part, "hash", job);
    reachStage(path, "verified");
    const file = freeBackupName(base, backupStamp(createdAtSeconds), readdirSync(folder));
    const facts = { file, source: path, createdAtSeconds, verifiedAtSeconds: clock.now() };
    const backup = { path: join(folder, file), record: recordOf({ ...facts, ...described, ...digest }), intact: true };
    publishBoth(job, part, backup);
    return backup;
  } finally {
    removeFiles(["", RECORD_SUFFIX, ...SIDECAR_SUFFIXES].map((suffix) => part + suffix));
  }
}

/** The record first: a file counts from the moment on in which it has both, and its name comes last. */
function publishBoth({ path, folder }: Job, part: string, backup: Backup): void {
  writePrivateFile(part + RECORD_SUFFIX, `${JSON.stringify(backup.record, null, 2)}\n`);
  publish(part + RECORD_SUFFIX, backup.path + RECORD_SUFFIX);
  reachStage(path, "recorded");
  try {
    publish(part, backup.path);
  } catch (error) {
    removeFiles([backup.path + RECORD_SUFFIX]);
    throw error;
  }
  syncFolder(folder);
  reachStage(path, "published");
}

function checkKeep(keep: number | undefined): void {
  if (keep === undefined || (Number.isSafeInteger(keep) && keep >= 1)) return;
  throw new RangeError(`backupStore: keep is a whole number from 1 on, not ${String(keep)}.`);
}

function sourcePath(source: StoreContext | string): string {
  const path = canonicalPath(typeof source === "string" ? source : source.path);
  guardTestIsolation(path);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return path;
  throw new StateError("STATE_E_STORE_MISSING", `There is no store at ${path} that could be backed up.`, { path });
}

/**
 * Makes a verified copy of a store while others go on writing: one file, whole as of one moment, that opens without
 * any sidecar. It gets its name only after the full check of the copy, with a record of what was checked beside it;
 * a backup that is killed on the way leaves no file that counts (POR-07).
 *
 * @param source - An open store, or the path of one.
 * @param dir - The folder for backups; made when it is not there.
 * @example
 * ```ts
 * const { path, record } = await backupStore("state.db", "backups", { keep: 7 });
 * ```
 * @throws STATE_E_STORE_MISSING, STATE_E_DISK_FULL before anything is written, STATE_E_BACKUP_UNSOUND when the store
 * is damaged, STATE_E_BUSY, STATE_E_CORRUPT, STATE_E_BACKUP_FAILED, STATE_E_TEST_ISOLATION (COR-12); the signal's
 * reason; TypeError, RangeError.
 */
export async function backupStore(
  source: StoreContext | string,
  dir: string,
  options: BackupOptions = {},
): Promise<NewBackup> {
  checkKnownOptions("backupStore", options, ["keep", "clock", "random", "space", "onProgress", "signal"]);
  const store = typeof source === "string" ? undefined : source;
  const { keep, onProgress, signal, space } = options;
  const { clock = store?.clock ?? systemClock, random = store?.random ?? systemRandom } = options;
  checkKeep(keep);
  const path = sourcePath(source);
  store?.settleUsage("read");
  try {
    makePrivateFolder(resolve(dir));
    const folder = canonicalPath(dir);
    const base = backupBase(path);
    using lock = await lockBackups(folder, base, clock, signal);
    if (lock) sweepStaging(folder, base);
    const made = await makeBackup({ path, folder, base, clock, random, space, onProgress, signal });
    const evicted = keep === undefined ? [] : rotateBackups(made, keep);
    reachStage(path, "rotated");
    return { ...made, evicted };
  } catch (error) {
    throw typedCopyError(error, "back up", path);
  }
}
