import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { openOfflineScope, openStateStore, StateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { privateFolder } from "./private-folder.js";

const COPIED = ["", "-wal"];
const ATTEMPTS = 3;
const ANYONE_MAY_WRITE = 0o222;
/** Bytes 18 and 19 of the file: the format versions that a writer and a reader need; 2 says write-ahead log. */
const VERSIONS_AT = 18;
const WAL_VERSION = 2;

/** A folder that nobody may write to is taken at its word, also by a user whom nothing stops. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return (statSync(folder).mode & ANYONE_MAY_WRITE) !== 0;
  } catch {
    // Whatever the reason is, SQLite will not get a file into it either.
    return false;
  }
}

function usesLog(path: string): boolean {
  using scope = openOfflineScope(path);
  const descriptor = openSync(scope.path, "r");
  try {
    const versions = Buffer.alloc(2);
    readSync(descriptor, versions, 0, 2, VERSIONS_AT);
    return versions[0] === WAL_VERSION && versions[1] === WAL_VERSION;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * True when SQLite would have to put its shared-memory file beside a store, in a folder that is not for writing: a
 * store with a write-ahead log cannot be read in place without that file.
 */
export function needsCopy(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile() || existsSync(`${path}-shm`)) return false;
  return !isWritable(dirname(path)) && isReadable(path) && usesLog(path);
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    // Opening it will say so, in the store's own words.
    return false;
  }
}

/** Size and time of every part: unchanged around the copy, or the copy does not count. */
function fingerprint(path: string): string {
  return COPIED.map((suffix) => {
    const stat = statSync(path + suffix, { throwIfNoEntry: false });
    return stat ? `${stat.size}:${stat.mtimeMs}:${stat.ino}` : "-";
  }).join("|");
}

function copyBundle(path: string, folder: string): string {
  using scope = openOfflineScope(path);
  const copy = join(folder, basename(scope.path));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const before = fingerprint(scope.path);
    for (const suffix of COPIED) {
      rmSync(copy + suffix, { force: true });
      if (!existsSync(scope.path + suffix)) continue;
      copyFileSync(scope.path + suffix, copy + suffix);
      chmodSync(copy + suffix, 0o600);
    }
    if (fingerprint(scope.path) === before) return copy;
  }
  throw new StateError(
    "STATE_E_BUSY",
    `${path} changed while it was copied for reading. Its folder is not writable; try again when nothing writes to it.`,
    { path },
  );
}

/**
 * Reads a store through a private copy, which is removed when the process ends; the original is not touched. Nothing of
 * this process has it open, which the offline scope makes sure of (COR-07).
 *
 * @param notice - Told that a copy is read.
 */
export function openCopy(path: string, notice: (text: string) => void): StateStore {
  const copy = copyBundle(path, privateFolder("read"));
  notice(`note: the folder ${dirname(path)} is not writable, so a private copy of the store is read`);
  return openStateStore({ path: copy, mode: "read" });
}
