import { chmodSync, closeSync, openSync, rmSync, statSync } from "node:fs";
import {
  closeWithLastConnection,
  openMaintenanceConnection,
  PRIVATE_MODE,
  SEARCH_SIDE_SUFFIX,
  SIDECAR_SUFFIXES,
  type MaintenanceConnection,
  type StoreInfo,
} from "@hermes/state-core";

/** A side file that this process has open. */
export interface OpenSideFile {
  readonly path: string;
  readonly inode: number;
  readonly connection: MaintenanceConnection;
}

/** One connection per file and way to open it: statements stay prepared between searches. */
const open = new Map<string, OpenSideFile>();

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function keyOf(path: string, readonly: boolean): string {
  return `${readonly ? "read" : "write"}:${path}`;
}

function letGo(key: string): void {
  const found = open.get(key);
  if (found === undefined) return;
  open.delete(key);
  try {
    found.connection.close();
  } catch {
    // Nothing of it is needed any more, and what it holds is only derived.
  }
}

function connect(path: string, info: StoreInfo): MaintenanceConnection {
  const connection = openMaintenanceConnection(path, { readonly: info.readonly, busyTimeoutMs: 0 });
  try {
    if (!info.readonly) {
      connection.pragma(`journal_mode=${info.journalMode === "wal" ? "wal" : "delete"}`);
      // A power cut may take the last steps, never the order of them.
      connection.pragma(`synchronous=${info.journalMode === "wal" ? "NORMAL" : "FULL"}`);
      connection.pragma("journal_size_limit=4194304");
    }
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The side file of the store at a path. */
export function sidePath(storePath: string): string {
  return storePath + SEARCH_SIDE_SUFFIX;
}

/** Lets go of a side file; the next search opens it anew. */
export function closeSideFile(path: string): void {
  letGo(keyOf(path, false));
  letGo(keyOf(path, true));
}

/** Removes a side file and what SQLite keeps beside it; what is gone already is no error. */
export function removeSideFile(path: string): void {
  closeSideFile(path);
  for (const suffix of ["", ...SIDECAR_SUFFIXES]) rmSync(path + suffix, { force: true });
}

/** Creates an empty side file for its owner only. Logs of one that was deleted are cleared away first. */
function create(path: string): void {
  for (const suffix of SIDECAR_SUFFIXES) rmSync(path + suffix, { force: true });
  try {
    closeSync(openSync(path, "wx", PRIVATE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // The mask of the process may have taken rights away, never added any; an owner must be able to write.
  chmodSync(path, PRIVATE_MODE);
}

/**
 * The side file of a store, opened or still open from before; another file at its path is another one.
 *
 * @param make - Create it when there is none.
 * @returns Undefined when there is none.
 * @throws What the system or the engine has against it.
 */
export function openSideFile(info: StoreInfo, make: boolean): OpenSideFile | undefined {
  const path = sidePath(info.path);
  const key = keyOf(path, info.readonly);
  const inode = inodeOf(path);
  const found = open.get(key);
  if (found !== undefined && found.inode === inode && found.connection.isOpen) return found;
  letGo(key);
  if (inode === undefined) {
    if (!make || info.readonly) return undefined;
    create(path);
  }
  const opened = { path, inode: inodeOf(path) ?? 0, connection: connect(path, info) };
  open.set(key, opened);
  if (!closeWithLastConnection(info.path, () => letGo(key))) letGo(key);
  return open.get(key);
}
