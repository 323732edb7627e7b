import { dirname, join } from "node:path";
import { SPOOL_NAME } from "@hermes/state-core";

/** Behind the whole name of a file that is not complete yet. */
export const DRAFT_SUFFIX = ".tmp";

const LOCK = { prefix: ".owner-", suffix: ".lock" } as const;

/** Why the peer spools a message; it stands in the files of both programs. */
export const SPOOL_REASON = "transcript_cap_drop";

const TOKEN_DIGITS = 16;
const OWN_LOCK = /^\.owner-([0-9a-f]{16})\.lock$/;
const OWN_NAME = /^pending-([0-9a-f]{16})[0-9a-f]{16}\.json(\.tmp)?$/;

/** Where the messages wait that a store could not take: beside it. */
export function spoolFolderOf(storePath: string): string {
  return join(dirname(storePath), SPOOL_NAME.folder);
}

/** The name of the n-th file of a writer. */
export function spoolName(token: string, n: number): string {
  return `${SPOOL_NAME.prefix}${token}${n.toString(16).padStart(TOKEN_DIGITS, "0")}${SPOOL_NAME.suffix}`;
}

/** The kernel lock that tells that a writer lives. */
export function ownerLockName(token: string): string {
  return `${LOCK.prefix}${token}${LOCK.suffix}`;
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
  return name.startsWith(SPOOL_NAME.prefix) && name.endsWith(SPOOL_NAME.suffix);
}

/** True for a file whose writer did not come to its end. */
export function isDraftName(name: string): boolean {
  return name.endsWith(DRAFT_SUFFIX) && ownerOf(name) !== undefined;
}
