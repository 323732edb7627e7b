import { chmodSync, lstatSync } from "node:fs";
import { SIDECAR_SUFFIXES } from "./file-names.js";
import { PRIVATE_MODE } from "./private-file.js";

const OTHERS = 0o077;

function tighten(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || (stat.mode & OTHERS) === 0) return false;
  chmodSync(path, PRIVATE_MODE);
  return true;
}

/**
 * Makes a database and its sidecars readable by their owner only (COR-13). By path and never by descriptor, since
 * closing one would drop the locks of every connection of this process; a symbolic link is left alone with whatever it
 * names.
 *
 * @param path - The database as the caller spells it, so that a link is seen as one.
 * @returns How many files were changed; what the system refuses to change stays as it is.
 */
export function hardenModes(path: string): number {
  if (process.platform === "win32" || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return 0;
  let changed = 0;
  for (const file of [path, ...SIDECAR_SUFFIXES.map((suffix) => path + suffix)]) {
    try {
      if (tighten(file)) changed += 1;
    } catch {
      // Not ours to change (another owner, a read-only mount): the store still works, and doctor reports the mode.
    }
  }
  return changed;
}
