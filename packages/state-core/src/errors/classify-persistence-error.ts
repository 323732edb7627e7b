import { sqliteResult } from "./sqlite-result.js";
import { isStateError } from "./state-error.js";
import type { StateErrorCode } from "./state-error.js";

/**
 * Why a write or read of the store failed, in the published order (COR-08). Iterate this list rather than
 * copying it: a bucket may be added.
 */
export const PERSISTENCE_CAUSES = [
  "locked",
  "compression",
  "compression_closed",
  "turn_lease",
  "corrupt",
  "fts_index",
  "replaced",
  "deleted_wal",
  "disk",
  "session_row_missing",
  "unknown",
] as const;

/** One bucket of {@link PERSISTENCE_CAUSES}. */
export type PersistenceCause = (typeof PERSISTENCE_CAUSES)[number];

const CAUSE_OF_CODE: Readonly<Partial<Record<StateErrorCode, PersistenceCause>>> = {
  STATE_E_BUSY: "locked",
  STATE_E_COMPRESSION_BUSY: "compression",
  STATE_E_COMPRESSION_CLOSED: "compression_closed",
  STATE_E_NO_LIVE_CONTINUATION: "compression_closed",
  STATE_E_TURN_LEASE_LOST: "turn_lease",
  STATE_E_TURN_LEASE_HELD: "turn_lease",
  STATE_E_CORRUPT: "corrupt",
  STATE_E_NOT_A_DATABASE: "corrupt",
  STATE_E_INDEX_DAMAGED: "fts_index",
  STATE_E_REPLACED: "replaced",
  STATE_E_WAL_DELETED: "deleted_wal",
  STATE_E_DISK_FULL: "disk",
  STATE_E_READONLY: "disk",
  STATE_E_IO: "disk",
  STATE_E_SESSION_NOT_FOUND: "session_row_missing",
};

const CORRUPTION_TEXT = ["malformed", "file is not a database", "not a database", "database corruption"];
const DISK_FULL_TEXT = [
  "no space left on device",
  "not enough space",
  "database or disk is full",
  "disk full",
  "full disk",
  "enospc",
];

/**
 * Texts in the order they are tried; corruption stands before lock and disk, since "disk image is malformed" names a
 * disk.
 */
const PHRASES: readonly (readonly [PersistenceCause, readonly string[]])[] = [
  ["turn_lease", ["turn lease"]],
  ["compression_closed", ["closed by compression"]],
  ["compression", ["being compressed", "compression lease"]],
  ["deleted_wal", ["deleted state.db-wal", "deleted state.db-shm"]],
  ["replaced", ["was replaced underneath"]],
  ["corrupt", CORRUPTION_TEXT],
  ["locked", ["locked", "busy"]],
  ["session_row_missing", ["foreign key constraint failed"]],
  ["disk", [...DISK_FULL_TEXT, "disk", "readonly", "read-only"]],
];

function textOf(error: unknown): string {
  if (typeof error === "string") return error.toLowerCase();
  if (error instanceof Error) return error.message.toLowerCase();
  return "";
}

/**
 * True when the error proves that only a search index is damaged: result code 267, or index wording where no code
 * exists.
 */
export function isIndexCorruption(error: unknown): boolean {
  const result = sqliteResult(error);
  if (result) return result.extended === 267;
  const text = textOf(error);
  if (!/\bmessages_fts\w*/.test(text)) return false;
  return (text.startsWith("fts5:") && text.includes("corrupt")) || CORRUPTION_TEXT.some((word) => text.includes(word));
}

/** True when another connection held the file: by result code where there is one, else by text (GND-05). */
export function isBusyError(error: unknown): boolean {
  if (isNoMoreRows(error)) return true;
  const result = sqliteResult(error);
  if (result) return result.primary === 5 || result.primary === 6;
  const text = textOf(error);
  return text.includes("locked") || text.includes("busy");
}

/** Busy as the engine itself says it; an error of a callback that speaks of being busy is the caller's own. */
export function isEngineBusy(error: unknown): boolean {
  return sqliteResult(error) !== undefined && isBusyError(error);
}

/** Some builds answer a lost race with this text outside their error classes; it is retried like busy. */
function isNoMoreRows(error: unknown): boolean {
  return textOf(error).includes("no more rows available");
}

/** True when the linked SQLite lacks a module or tokenizer: a capability difference, never damage. */
export function isCapabilityError(error: unknown): boolean {
  const text = textOf(error);
  return text.includes("no such module: fts5") || text.includes("no such tokenizer");
}

function causeOfCode(error: unknown): PersistenceCause | undefined {
  const result = sqliteResult(error);
  if (result === undefined) {
    return (error as { code?: unknown } | null)?.code === "ENOSPC" ? "disk" : undefined;
  }
  if (result.extended === 787) return "session_row_missing";
  switch (result.primary) {
    case 5:
    case 6:
      return "locked";
    case 11:
    case 26:
      return "corrupt";
    case 8:
    case 10:
    case 13:
      return "disk";
    default:
      return undefined;
  }
}

/**
 * Names the bucket of an error, or of a text that travelled over a wire: by type, then by result code, then by phrase.
 *
 * @param error - A thrown value, an error text, or null.
 * @returns The bucket; `unknown` when nothing fits. Source of the rule: COR-08.
 */
export function classifyPersistenceError(error: unknown): PersistenceCause {
  if (error === null || error === undefined) return "unknown";
  if (isStateError(error)) return CAUSE_OF_CODE[error.code] ?? "unknown";
  if (isIndexCorruption(error)) return "fts_index";
  const byCode = causeOfCode(error);
  if (byCode) return byCode;
  const text = textOf(error);
  for (const [cause, words] of PHRASES) {
    if (words.some((word) => text.includes(word))) return cause;
  }
  return isNoMoreRows(error) ? "locked" : "unknown";
}
