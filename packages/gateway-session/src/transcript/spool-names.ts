import { dirname, join } from "node:path";

/** How everything in a spool is called; folder, prefix and suffixes are shared with the peer (7.11). */
export const SPOOL = {
  folder: "pending_messages",
  prefix: "pending-",
  suffix: ".json",
  /** Behind the whole name: a message that no store takes. Kept for a person, never read again. */
  setAside: ".bad",
  /** Behind the whole name, until the file is complete. */
  draft: ".tmp",
  lockPrefix: ".owner-",
  lockSuffix: ".lock",
} as const;

/** Why the peer spools a message; it stands in the files of both programs. */
export const SPOOL_REASON = "transcript_cap_drop";

const TOKEN_DIGITS = 16;
const OWN_LOCK = /^\.owner-([0-9a-f]{16})\.lock$/;
const OWN_NAME = /^pending-([0-9a-f]{16})[0-9a-f]{16}\.json(\.tmp)?$/;

/** Where the messages wait that a store could not take: beside it. */
export function spoolFolderOf(storePath: string): string {
  return join(dirname(storePath), SPOOL.folder);
}

/** The name of the n-th file of a writer. */
export function spoolName(token: string, n: number): string {
  return `${SPOOL.prefix}${token}${n.toString(16).padStart(TOKEN_DIGITS, "0")}${SPOOL.suffix}`;
}

/** The kernel lock that tells that a writer lives. */
export function ownerLockName(token: string): string {
  return `${SPOOL.lockPrefix}${token}${SPOOL.lockSuffix}`;
}

/** Whose a file is by its name: 16 hex digits; undefined for a name that no writer of this kind gave. */
export function ownerOf(name: string): string | undefined {
  return OWN_NAME.exec(name)?.[1];
}

/** Whose lock a file is; undefined for any other file. */
export function lockedBy(name: string): string | undefined {
  return OWN_LOCK.exec(name)?.[1];
}

/** True for a spooled message, whoever wrote it. */
export function isSpoolName(name: string): boolean {
  return name.startsWith(SPOOL.prefix) && name.endsWith(SPOOL.suffix);
}

/** True for a file whose writer did not come to its end. */
export function isDraftName(name: string): boolean {
  return name.endsWith(SPOOL.draft) && ownerOf(name) !== undefined;
}
