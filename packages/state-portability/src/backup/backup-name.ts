import { basename } from "node:path";

const EXTENSION = ".db";

/** Suffix of the record beside a backup. */
export const RECORD_SUFFIX = ".json";

/** Moment in UTC and, from the second one of a second on, a number: what follows the name of the store. */
const STAMP = /^-(\d{8}T\d{6}Z)(?:-(\d{1,9}))?\.db$/;

/** How backups of a store are named at the beginning: the name of its file without `.db`. */
export function backupBase(path: string): string {
  return basename(path, EXTENSION);
}

/** A moment as names spell it: UTC, `YYYYMMDDTHHMMSSZ`. */
export function backupStamp(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

/** Stamp and number in the name of a backup of the store that is called `base`; undefined for any other name. */
export function parseBackupName(base: string, name: string): { stamp: string; number: number } | undefined {
  const match = name.startsWith(base) ? STAMP.exec(name.slice(base.length)) : null;
  return match ? { stamp: match[1] ?? "", number: Number(match[2] ?? 1) } : undefined;
}

/**
 * A name that no backup and no record has, and that sorts behind all of the same second.
 *
 * @param names - What stands in the folder.
 */
export function freeBackupName(base: string, stamp: string, names: readonly string[]): string {
  const used = names
    .map((name) => (name.endsWith(RECORD_SUFFIX) ? name.slice(0, -RECORD_SUFFIX.length) : name))
    .map((name) => parseBackupName(base, name))
    .filter((parsed) => parsed?.stamp === stamp)
    .map((parsed) => parsed?.number ?? 0);
  const number = Math.max(0, ...used) + 1;
  return `${base}-${stamp}${number === 1 ? "" : `-${String(number)}`}${EXTENSION}`;
}
