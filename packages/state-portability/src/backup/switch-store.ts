import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "@hermes/state-core";
import { removeFiles } from "./private-file.js";
import { reachStage } from "./stages.js";
import type { StagedRestore } from "./stage-restore.js";

/**
 * Puts the staged files in place of a store that nobody has open. Whatever moment the process is killed in, the next
 * open sees the old store with its log, or the restored one, whole:
 *
 * 1. The shared memory goes: it only indexes the log, and is made again from it.
 * 2. A log with the restored pages takes the place of the old log, by one rename: from now on the path opens as the
 *    restored store, whatever main file is beside it. A journal is rolled back into the old main file at most.
 * 3. The journal goes, and then the restored main file takes the place of the old one; it is what the log says.
 * 4. The log goes.
 *
 * Without log and journal the rename of the main file is all there is.
 */
export function switchStore(path: string, { main, log }: StagedRestore): void {
  const folder = dirname(path);
  removeFiles([`${path}-shm`]);
  if (log === undefined) {
    // They are empty, or of a store that is gone: the path opens as before without them.
    removeFiles([`${path}-wal`, `${path}-journal`]);
    renameSync(main, path);
    syncFolder(folder);
    reachStage(path, "switched");
    return;
  }
  renameSync(log, `${path}-wal`);
  syncFolder(folder);
  reachStage(path, "switched");
  removeFiles([`${path}-journal`]);
  syncFolder(folder);
  reachStage(path, "journal-removed");
  renameSync(main, path);
  syncFolder(folder);
  reachStage(path, "replaced");
  rmSync(`${path}-wal`);
  syncFolder(folder);
}
