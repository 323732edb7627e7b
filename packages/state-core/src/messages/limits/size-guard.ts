import type { Reader } from "@hermes/state-schema";
import { configuredSizeLimit, sizeLimitVariable } from "../../config/size-limit.js";
import type { SizedOperation } from "../../config/size-limit.js";
import { StateError } from "../../errors/state-error.js";
import { walkAncestors } from "../../lineage/walk-ancestors.js";

/** What a resume loads: live messages of the session and of every session above it. */
const COUNT_RESUMED = `
  SELECT COUNT(*) AS total FROM (
    SELECT 1 FROM messages
    WHERE session_id IN (SELECT value FROM json_each(?)) AND COALESCE(active, 1) = 1 LIMIT ?)`;

/** What an export writes: every row of the one session. */
const COUNT_EXPORTED = "SELECT COUNT(*) AS total FROM (SELECT 1 FROM messages WHERE session_id = ? LIMIT ?)";

function tooLarge(operation: SizedOperation, sessionId: string, messageCount: number, limit: number): StateError {
  return new StateError(
    operation === "resume" ? "STATE_E_RESUME_TOO_LARGE" : "STATE_E_EXPORT_TOO_LARGE",
    `Session ${JSON.stringify(sessionId)} has ${messageCount} messages or more; the limit for one ${operation} is ` +
      `${limit}. Raise it with ${sizeLimitVariable(operation)}, or set it to 0 for no limit.`,
    { sessionId, messageCount, limit },
  );
}

/**
 * The limit to apply: the given one, else the configured one.
 *
 * @throws RangeError when the given one is no whole number from 0 on.
 */
export function sizeLimit(operation: SizedOperation, given: number | undefined): number {
  if (given === undefined) return configuredSizeLimit(operation);
  if (Number.isSafeInteger(given) && given >= 0) return given;
  throw new RangeError(`The limit of a ${operation} must be a whole number from 0 on, not ${String(given)}.`);
}

/**
 * Refuses a session that is too large to resume or export, without counting further than the limit (COR-35).
 *
 * @param limit - 0 for none: then nothing is counted.
 * @returns How many messages there are; 0 when nothing was counted.
 * @throws StateError `STATE_E_RESUME_TOO_LARGE` or `STATE_E_EXPORT_TOO_LARGE`, with `messageCount` (counted up to one
 * above the limit) and `limit`.
 */
export function guardSize(r: Reader, operation: SizedOperation, sessionId: string, limit: number): number {
  if (limit === 0) return 0;
  const [sql, which] =
    operation === "resume"
      ? [COUNT_RESUMED, JSON.stringify(walkAncestors(r, sessionId).map((step) => step.id))]
      : [COUNT_EXPORTED, sessionId];
  const messageCount = r.get<{ total: number }>(sql, [which, limit + 1])?.total ?? 0;
  if (messageCount > limit) throw tooLarge(operation, sessionId, messageCount, limit);
  return messageCount;
}
