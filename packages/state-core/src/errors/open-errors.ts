import type { HeaderReport } from "../files/inspect-header.js";
import { StateError } from "./state-error.js";

const HEADER_TEXT: Readonly<Record<string, string>> = {
  zeroed: "begins with zero bytes only, as after a lost write",
  foreign: "is not an SQLite database",
  truncated: "is cut short",
};

/** A file that cannot be a store is refused and left exactly as it is (REP-10, P04). */
export function notADatabase(path: string, report: HeaderReport): StateError {
  const size =
    report.expectedBytes === undefined ? `${report.bytes} bytes` : `${report.bytes} of ${report.expectedBytes} bytes`;
  return new StateError(
    report.kind === "truncated" ? "STATE_E_CORRUPT" : "STATE_E_NOT_A_DATABASE",
    `${path} ${HEADER_TEXT[report.kind] ?? "cannot be used"} (${size}). ` +
      `It was left untouched. Look at it with: hermes-state check --db ${JSON.stringify(path)}. Then restore a ` +
      "backup over it, or take out what can be read: " +
      `hermes-state recover --source ${JSON.stringify(path)} --output FILE. ` +
      "To start a new store, move it away with its -wal, -shm and -journal files.",
    {
      path,
      kind: report.kind,
      bytes: report.bytes,
      ...(report.expectedBytes !== undefined && { expectedBytes: report.expectedBytes }),
    },
  );
}

/** A reader never creates a store. */
export function storeMissing(path: string): StateError {
  return new StateError(
    "STATE_E_STORE_MISSING",
    `There is no store at ${path}. Open it for writing once to create it, or name another file.`,
    { path },
  );
}

/** The path names a folder or something else that is no regular file. */
export function notAFile(path: string): StateError {
  return new StateError(
    "STATE_E_NOT_A_FILE",
    `${path} is not a regular file. Name the database file itself, such as ${path}/state.db.`,
    {
      path,
    },
  );
}

/** The file system said no before SQLite was asked. */
export function notAccessible(path: string, cause: unknown): StateError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const full = code === "ENOSPC" || code === "EDQUOT";
  const advice = full
    ? "Free space and try again."
    : `The file and its folder must be readable and writable by this user: chmod u+rw "${path}".`;
  return new StateError(
    full ? "STATE_E_DISK_FULL" : "STATE_E_NOT_ACCESSIBLE",
    `Could not open ${path}: ${message}. ${advice}`,
    { path, errno: code },
    { cause },
  );
}
