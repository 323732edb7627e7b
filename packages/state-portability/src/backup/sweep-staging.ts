import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseBackupName, RECORD_SUFFIX } from "./backup-name.js";
import { removeFiles } from "./private-file.js";

/** How the working files of a backup begin; no backup does. */
export function stagingPrefix(base: string): string {
  return `.${base}.backup-part-`;
}

/** A record whose file never got its name, or lost it: that file went first. */
function isLeftRecord(folder: string, base: string, name: string): boolean {
  if (!name.endsWith(RECORD_SUFFIX)) return false;
  const file = name.slice(0, -RECORD_SUFFIX.length);
  return parseBackupName(base, file) !== undefined && !lstatSync(join(folder, file), { throwIfNoEntry: false });
}

/** Removes what backups that were killed left behind. Only under the lock, or it takes the work of a running one. */
export function sweepStaging(folder: string, base: string): void {
  const prefix = stagingPrefix(base);
  const left = readdirSync(folder).filter((name) => name.startsWith(prefix) || isLeftRecord(folder, base, name));
  removeFiles(left.map((name) => join(folder, name)));
}
