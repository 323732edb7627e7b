import type { Writer } from "@hermes/state-schema";
import { sessionNotFound } from "../../sessions/session-errors.js";

const DELETE_ALL = "DELETE FROM messages WHERE session_id = ?";
const ZERO = "UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = ?";

/**
 * Deletes every message of a session and sets its counters to zero, inside one transaction.
 *
 * @returns How many were deleted.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`.
 */
export function clearMessages(w: Writer, sessionId: string): number {
  if (w.run(ZERO, [sessionId]).changes === 0) throw sessionNotFound(sessionId);
  return w.run(DELETE_ALL, [sessionId]).changes;
}
