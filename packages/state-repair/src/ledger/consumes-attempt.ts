import { isStateError } from "@hermes/state-core";

const CODES = new Set(["STATE_E_CORRUPT", "STATE_E_NOT_A_DATABASE"]);
const RESULT = /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/;
const TEXT = /file is not a database|database disk image is malformed/i;

/**
 * Whether a failure before or around the strategies spends an attempt: only one that proves the file itself is
 * damaged. A lock, a timeout, a full or read-only volume and a failed read say nothing about it.
 *
 * @param error - Whatever was thrown. Source of the rule: REP-04.
 */
export function consumesAttempt(error: unknown): boolean {
  if (isStateError(error)) return CODES.has(error.code) || (error.cause !== undefined && consumesAttempt(error.cause));
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? RESULT.test(code) : TEXT.test(error.message);
}
