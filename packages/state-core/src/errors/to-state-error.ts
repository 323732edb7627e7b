import { classifyPersistenceError } from "./classify-persistence-error.js";
import type { PersistenceCause } from "./classify-persistence-error.js";
import { explainPersistenceCause } from "./explain-persistence-cause.js";
import { sqliteResult } from "./sqlite-result.js";
import { isStateError, StateError } from "./state-error.js";
import type { StateErrorCode } from "./state-error.js";

const CODE_OF_CAUSE: Readonly<Record<PersistenceCause, StateErrorCode>> = {
  locked: "STATE_E_BUSY",
  compression: "STATE_E_COMPRESSION_BUSY",
  compression_closed: "STATE_E_COMPRESSION_CLOSED",
  turn_lease: "STATE_E_TURN_LEASE_LOST",
  corrupt: "STATE_E_CORRUPT",
  fts_index: "STATE_E_INDEX_DAMAGED",
  replaced: "STATE_E_REPLACED",
  deleted_wal: "STATE_E_WAL_DELETED",
  disk: "STATE_E_IO",
  session_row_missing: "STATE_E_SESSION_NOT_FOUND",
  unknown: "STATE_E_UNKNOWN",
};

function codeOf(error: unknown, cause: PersistenceCause): StateErrorCode {
  const primary = sqliteResult(error)?.primary;
  if (primary === 14) return "STATE_E_NOT_ACCESSIBLE";
  if (cause !== "disk") return CODE_OF_CAUSE[cause];
  if (primary === 13 || (error as { code?: unknown }).code === "ENOSPC") return "STATE_E_DISK_FULL";
  return primary === 8 ? "STATE_E_READONLY" : "STATE_E_IO";
}

/** Only errors of the engine and a full disk are translated; whatever a callback threw itself is the caller's own. */
function isForeign(error: unknown): boolean {
  return (
    !isStateError(error) &&
    (sqliteResult(error) !== undefined || (error as { code?: unknown } | null)?.code === "ENOSPC")
  );
}

/**
 * Turns a driver error into the typed error of its bucket (GND-04); errors that callers threw themselves pass
 * unchanged.
 *
 * @param doing - What was attempted, in a few words: "append a message".
 * @param path - The store's file.
 */
export function toStateError(error: unknown, doing: string, path: string): unknown {
  if (!isForeign(error)) return error;
  const cause = classifyPersistenceError(error);
  const result = sqliteResult(error);
  const text = error instanceof Error ? error.message : String(error);
  return new StateError(
    codeOf(error, cause),
    `Could not ${doing} in ${path}: ${text}. ${explainPersistenceCause(cause)}`,
    { path, doing, bucket: cause, ...(result && { result: result.name }), detail: text },
    { cause: error },
  );
}
