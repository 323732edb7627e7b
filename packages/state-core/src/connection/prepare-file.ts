import { accessSync, closeSync, constants, mkdirSync, openSync, rmdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PRIVATE_MODE } from "../files/private-file.js";
import type { Clock } from "../clock/clock.js";
import { notADatabase, notAccessible, notAFile, storeMissing } from "../errors/open-errors.js";
import { isStateError } from "../errors/state-error.js";
import { SIDECAR_SUFFIXES } from "../files/file-names.js";
import type { HeaderReport } from "../files/inspect-header.js";
import { inspectFile } from "./inspect-file.js";
import { canonicalPath, liveConnectionCount } from "./live-connections.js";

function refuseOtherKinds(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw notAFile(path);
}

function refuseDamaged(path: string, clock: Clock): HeaderReport["kind"] {
  // While this process has the file open it is a database, and reading it raw would drop the locks on it.
  if (liveConnectionCount(path) > 0) return statSync(path, { throwIfNoEntry: false }) ? "database" : "missing";
  const report = inspectFile(path, clock);
  if (report.kind === "zeroed" || report.kind === "foreign" || report.kind === "truncated")
    throw notADatabase(path, report);
  return report.kind;
}

/** The engine falls back to reading without a word, and the first write would fail long after the open. */
function refuseUnwritable(path: string): void {
  accessSync(dirname(path), constants.W_OK | constants.X_OK);
  accessSync(path, constants.R_OK | constants.W_OK);
  for (const suffix of SIDECAR_SUFFIXES) {
    try {
      accessSync(path + suffix, constants.R_OK | constants.W_OK);
    } catch (error) {
      // The last one to close takes its log away, also while we look.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

/** Creates an empty file for its owner only, unless somebody else was faster. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", PRIVATE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function removeFolders(created: string | undefined, from: string): void {
  for (let folder = from; created !== undefined && folder.startsWith(created); folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      // Somebody put something there, or it is gone: leave the rest.
      return;
    }
  }
}

function translate(path: string, error: unknown): unknown {
  return isStateError(error) ? error : notAccessible(path, error);
}

/**
 * Makes sure that a file which SQLite may open for writing stands at `path`: an existing database, or a new empty file.
 *
 * @throws STATE_E_NOT_A_FILE, STATE_E_NOT_A_DATABASE, STATE_E_CORRUPT (cut short), STATE_E_NOT_ACCESSIBLE or
 * STATE_E_DISK_FULL; nothing is created or changed then.
 */
export function prepareForWriting(path: string, clock: Clock): void {
  // A link whose target is not there yet names the place where the store belongs.
  const target = canonicalPath(path);
  const folder = dirname(target);
  let created: string | undefined;
  try {
    refuseOtherKinds(path);
    if (refuseDamaged(path, clock) !== "missing") {
      refuseUnwritable(target);
      return;
    }
    created = mkdirSync(folder, { recursive: true, mode: 0o700 });
    createPrivate(target);
  } catch (error) {
    removeFolders(created, folder);
    throw translate(path, error);
  }
}

/**
 * Makes sure that a database stands at `path`, without creating anything.
 *
 * @throws as {@link prepareForWriting}, and STATE_E_STORE_MISSING when there is none.
 */
export function prepareForReading(path: string, clock: Clock): void {
  try {
    refuseOtherKinds(path);
    const kind = refuseDamaged(path, clock);
    if (kind === "missing" || kind === "empty") throw storeMissing(path);
  } catch (error) {
    throw translate(path, error);
  }
}
