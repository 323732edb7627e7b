import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "@hermes/state-core";
import { RECORD_SUFFIX } from "./backup-name.js";
import { listBackups } from "./list-backups.js";
import type { Backup } from "./list-backups.js";
import { reachStage } from "./stages.js";

/**
 * Deletes the oldest backups of a store, beyond `keep`. What was just made and verified stays whatever the clock says,
 * and only files with a record of this store are touched. Files whose size is wrong do not count among those kept, and
 * are left for somebody to look at.
 *
 * @param made - The backup that was verified just now.
 * @returns What was deleted.
 */
export function rotateBackups(made: Backup, keep: number): string[] {
  const folder = dirname(made.path);
  const others = listBackups(folder, made.record.source).filter(({ path, intact }) => intact && path !== made.path);
  const evicted = others.slice(keep - 1).map(({ path }) => path);
  // The file first: a record without one is nothing, and a file without one would be nobody's.
  for (const path of evicted) {
    rmSync(path, { force: true });
    reachStage(made.record.source, "evicted");
    rmSync(path + RECORD_SUFFIX, { force: true });
  }
  if (evicted.length > 0) syncFolder(folder);
  return evicted;
}
