import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { tryFlock } from "./flock.js";
import { isProvablyDead, readRecord } from "./holder-record.js";
import { isContention, stillNamed, underFolderLock } from "./lock-file.js";

/** True when the file is locked by somebody whose record names a dead process, and the path still means this file. */
function isHeldByDead(path: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch {
    // Gone or not to be opened: there is nothing to replace here.
    return false;
  }
  try {
    return isContention(tryFlock(descriptor)) && isProvablyDead(readRecord(descriptor)) && stillNamed(descriptor, path);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces a lock file whose recorded holder is provably dead while a child it forked still keeps the lock alive, and
 * takes the new one. The lock rides the open file, and forking copies that: nothing else could end such a lock before
 * the child does.
 *
 * @param take - Takes the lock of the file that is there now, without waiting.
 * @returns What `take` returned; undefined when nothing was replaced.
 */
export function breakDeadLock<T>(path: string, take: () => T): T | undefined {
  const under = underFolderLock(path, "exclusive", () => {
    if (!isHeldByDead(path)) return undefined;
    unlinkSync(path);
    return take();
  });
  return under.kind === "ran" ? under.value : undefined;
}
