import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SEARCH_SIDE_SUFFIX, SPOOL_NAME } from "@hermes/state-core";
import { backupBase } from "../backup/backup-name.js";
import { DEFAULT_BACKUP_FOLDER } from "../backup/default-backup-folder.js";
import { listBackups } from "../backup/list-backups.js";
import { PENDING_ERASURE_SUFFIX } from "./pending-erasure.js";

/** Files beside a store that hold no rows. */
const ROWLESS = [".lock", ".repair-attempts.json"];

/** What an erasure handles itself. */
const OWN = [SEARCH_SIDE_SUFFIX, PENDING_ERASURE_SUFFIX];

function besides(path: string): string[] {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && !OWN.some((suffix) => name.startsWith(basename(path) + suffix)))
    .filter((name) => !ROWLESS.some((suffix) => name.endsWith(suffix)))
    .map((name) => join(folder, name));
}

/** Messages that wait beside the store, or were set aside: what people said, not in the store yet. */
function waiting(path: string): string[] {
  const folder = join(dirname(path), SPOOL_NAME.folder);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.startsWith(SPOOL_NAME.prefix));
  return names.map((name) => join(folder, name));
}

/**
 * Copies of a store that an erasure does not touch: forensic bundles, copies that were taken before a clean-up, working
 * files, messages of a gateway that wait to be stored, and backups beside it or in the usual folder. They may hold what
 * was erased.
 *
 * @param path - Canonical path of the store.
 */
export function otherCopies(path: string): string[] {
  const folder = dirname(path);
  const backups = [folder, join(folder, DEFAULT_BACKUP_FOLDER)]
    .flatMap((dir) => listBackups(dir))
    .filter(({ record }) => record.source === path || backupBase(record.source) === backupBase(path))
    .map((backup) => backup.path);
  return [...new Set([...besides(path), ...waiting(path), ...backups])].sort();
}
