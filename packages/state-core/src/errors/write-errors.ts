import { StateError } from "./state-error.js";

/** A write on a store that was opened for reading. */
export function readonlyStore(path: string, label: string): StateError {
  return new StateError(
    "STATE_E_READONLY",
    `Could not ${label}: ${path} is open for reading only. Open it with mode "write".`,
    {
      path,
      doing: label,
    },
  );
}

/** Any use of a handle after its close. */
export function storeClosed(path: string, label: string): StateError {
  return new StateError("STATE_E_CLOSED", `Could not ${label}: the store ${path} is closed. Open it again.`, {
    path,
    doing: label,
  });
}

/** The write lock did not come free in time; the text keeps the word other programs classify by (docs/locking.md). */
export function storeBusy(path: string, label: string, waitedMs: number, cause: unknown): StateError {
  const seconds = (waitedMs / 1000).toFixed(1);
  return new StateError(
    "STATE_E_BUSY",
    `Could not ${label}: database is locked (another process or handle held the write lock of ${path} ` +
      `for ${seconds} s; the database itself is healthy). Nothing was stored; try again.`,
    { path, doing: label, waitedMs: Math.round(waitedMs), bucket: "locked" },
    { cause },
  );
}

/** A second transaction inside a write would wait for the first one for ever. */
export function nestedWrite(path: string, label: string, outer: string): StateError {
  return new StateError(
    "STATE_E_NESTED_WRITE",
    `Could not ${label} while "${outer}" is writing to ${path}: pass the writer of the outer callback on instead.`,
    { path, doing: label, outer },
  );
}

/** The path now names another file, or none: writing on would split the history in two (COR-11). */
export function storeReplaced(path: string, label: string, what: "replaced" | "removed"): StateError {
  return new StateError(
    "STATE_E_REPLACED",
    `Could not ${label}: ${path} was ${what === "replaced" ? "replaced underneath this handle" : "removed"} ` +
      "since it was opened. Nothing was stored; open the store again.",
    { path, doing: label, what, bucket: "replaced" },
  );
}

/** The log this handle writes to has no name any more, so nobody else would ever see what it commits (COR-11). */
export function walDeleted(path: string, label: string): StateError {
  return new StateError(
    "STATE_E_WAL_DELETED",
    `Could not ${label}: the log ${path}-wal was deleted or replaced while the store was open. ` +
      "Nothing was stored; open the store again, then run: hermes-state check.",
    { path, doing: label, bucket: "deleted_wal" },
  );
}

/** After damage was seen once, this handle writes no more: a second write could spread it (COR-09). */
export function storeQuarantined(path: string, label: string, cause: unknown): StateError {
  return new StateError(
    "STATE_E_CORRUPT",
    `Could not ${label}: ${path} is damaged, so this handle stopped writing. Nothing was stored. ` +
      `Stop every process that writes to it and run: hermes-state doctor --db "${path}". Freeing space will not help.`,
    { path, doing: label, bucket: "corrupt" },
    { cause },
  );
}
