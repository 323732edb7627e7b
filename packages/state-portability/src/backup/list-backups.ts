import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { canonicalPath } from "@hermes/state-core";
import { backupBase, parseBackupName, RECORD_SUFFIX } from "./backup-name.js";
import { typedCopyError } from "./backup-errors.js";
import { readBackupRecord } from "./backup-record.js";
import type { BackupRecord } from "./backup-record.js";

/** A backup on disk. */
export interface Backup {
  readonly path: string;
  readonly record: BackupRecord;
  /** False when the file has not the size any more that was recorded; its bytes are not read. */
  readonly intact: boolean;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw typedCopyError(error, "list the backups in", folder);
  }
}

function look(folder: string, name: string): Backup | undefined {
  const path = join(folder, name);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const record = stat?.isFile() ? readBackupRecord(path) : undefined;
  if (!stat || record?.file !== name || parseBackupName(backupBase(record.source), name) === undefined)
    return undefined;
  return { path, record, intact: stat.size === record.bytes };
}

/** The number behind the stamp: which of the backups of one second is the newer one. */
function numberOf({ record }: Backup): number {
  return parseBackupName(backupBase(record.source), record.file)?.number ?? 0;
}

/**
 * The backups in a folder, newest first: files with a record that {@link backupStore} wrote for them. Copies under
 * way, and files that somebody put there, are none.
 *
 * @param dir - A folder; one that is not there has no backups.
 * @throws STATE_E_BACKUP_FAILED when it cannot be read, or is no folder.
 * @param source - Only backups of the store at this path.
 */
export function listBackups(dir: string, source?: string): Backup[] {
  const folder = canonicalPath(dir);
  const real = source === undefined ? undefined : canonicalPath(source);
  return namesIn(folder)
    .filter((name) => !name.endsWith(RECORD_SUFFIX))
    .flatMap((name) => look(folder, name) ?? [])
    .filter(({ record }) => real === undefined || record.source === real)
    .sort((a, b) => b.record.createdAtSeconds - a.record.createdAtSeconds || numberOf(b) - numberOf(a));
}
