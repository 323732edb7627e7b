import type { Writer } from "@hermes/state-schema";
import { walkContinuations } from "./walk-continuations.js";

const SELECT_LOCK = "SELECT holder, expires_at AS expiresAt FROM compression_locks WHERE session_id = ?";
const DELETE_LOCK = "DELETE FROM compression_locks WHERE session_id = ? AND holder = ? AND expires_at = ?";
const REOPEN = "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ? AND end_reason = 'compression'";

/**
 * Reopens a session that a compaction closed without leaving a continuation, as a crash between the two steps does
 * (P15). Does nothing while a continuation exists or a compaction still holds the session.
 *
 * @param now - REAL seconds.
 * @returns Whether the session takes messages again (COR-26).
 */
export function reopenOrphan(w: Writer, sessionId: string, now: number): boolean {
  if ((walkContinuations(w, [sessionId]).get(sessionId)?.length ?? 0) > 1) return false;
  const lock = w.get<{ holder: string; expiresAt: number }>(SELECT_LOCK, [sessionId]);
  if (lock) {
    if (typeof lock.expiresAt !== "number" || lock.expiresAt > now) return false;
    w.run(DELETE_LOCK, [sessionId, lock.holder, lock.expiresAt]);
  }
  return w.run(REOPEN, [sessionId]).changes > 0;
}
