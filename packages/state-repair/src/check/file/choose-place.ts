import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { liveConnectionCount, openOfflineScope } from "@hermes/state-core";

/**
 * Where a file is looked at so that nothing of it changes.
 *
 * - `in-place`: reading leaves everything as it is;
 * - `alone`: a file with an idle log, which a reader alone would leave with new sidecars; a writer that closes last
 *   takes them along;
 * - `copy`: reading in place would create files that cannot be removed safely, or finish what another process began.
 */
export type CheckPlace = "in-place" | "alone" | "copy";

/** Bytes 18 and 19 of the file: the format versions that a writer and a reader need; 2 says write-ahead log. */
const VERSIONS_AT = 18;
const LOG_VERSION = 2;
const ANYONE_MAY_WRITE = 0o222;

/**
 * Chooses the place.
 *
 * @param path - Canonical path of a database.
 */
export function choosePlace(path: string): CheckPlace {
  // Whoever has a log open has its shared memory too, so that nothing is created.
  if (liveConnectionCount(path) > 0 || sizeOf(`${path}-shm`) !== undefined || !usesLog(path)) return "in-place";
  if ((sizeOf(`${path}-wal`) ?? 0) > 0) return "copy";
  return isWritable(path) ? "alone" : "copy";
}

/** The user may write the file, and put sidecars beside it. A folder nobody may write to is taken at its word. */
export function isWritable(path: string): boolean {
  const folder = dirname(path);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    accessSync(path, constants.W_OK);
    return (statSync(folder).mode & ANYONE_MAY_WRITE) !== 0 && (statSync(path).mode & ANYONE_MAY_WRITE) !== 0;
  } catch {
    // Whatever the reason is, the engine will not get a file into it either.
    return false;
  }
}

function usesLog(path: string): boolean {
  using scope = openOfflineScope(path);
  const descriptor = openSync(scope.path, "r");
  try {
    const versions = Buffer.alloc(2);
    readSync(descriptor, versions, 0, versions.length, VERSIONS_AT);
    return versions.every((version) => version === LOG_VERSION);
  } finally {
    closeSync(descriptor);
  }
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
