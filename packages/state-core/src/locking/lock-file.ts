import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { constants as os } from "node:os";
import { dirname } from "node:path";
import { PRIVATE_MODE } from "../files/private-file.js";
import { tryFlock } from "./flock.js";

/** Only these say that somebody holds a lock; any other errno speaks of the machine and is not waited for (SEA-09). */
const CONTENTION: ReadonlySet<number> = new Set([
  os.errno.EAGAIN,
  os.errno.EWOULDBLOCK,
  os.errno.EACCES,
  os.errno.EDEADLK,
]);

/** True when a lock was refused because another process has it. */
export function isContention(errno: number): boolean {
  return CONTENTION.has(errno);
}

/** Opens a lock file, created 0600; a link in its place is refused. */
export function openLockFile(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, PRIVATE_MODE);
}

/** A process that broke a dead holder's lock has replaced the file: a lock on the old inode excludes nobody. */
export function stillNamed(descriptor: number, path: string): boolean {
  const mine = fstatSync(descriptor);
  const named = statSync(path, { throwIfNoEntry: false });
  return named?.dev === mine.dev && named.ino === mine.ino;
}

/** What came of an attempt to do something under the lock of a folder. */
export type UnderFolderLock<T> =
  { readonly kind: "ran"; readonly value: T } | { readonly kind: "busy" } | { readonly kind: "unavailable" };

/**
 * Runs `fn` while the folder of a lock file is locked itself: shared by whoever takes the lock the usual way, exclusive
 * to the one who replaces its file, so that no lock is ever broken in the moment in which it is taken.
 *
 * @returns `busy` when another process works there the other way, `unavailable` where folders cannot be locked.
 */
export function underFolderLock<T>(path: string, mode: "shared" | "exclusive", fn: () => T): UnderFolderLock<T> {
  let folder: number;
  try {
    folder = openSync(dirname(path), constants.O_RDONLY);
  } catch {
    // A folder that cannot be read can still be used; who cannot lock it never replaces a file in it.
    return { kind: "unavailable" };
  }
  try {
    const errno = tryFlock(folder, mode);
    if (errno === 0) return { kind: "ran", value: fn() };
    return { kind: isContention(errno) ? "busy" : "unavailable" };
  } finally {
    closeSync(folder);
  }
}
