import type { Writer } from "@hermes/state-schema";
import { reopenOrphan } from "../lineage/reopen-orphan.js";
import { tipOf } from "../lineage/walk-continuations.js";
import { COMPRESSION_END_REASON } from "../sessions/end-reasons.js";
import { compressionClosed, sessionNotFound } from "../sessions/session-errors.js";

const END_REASON = "SELECT end_reason AS reason FROM sessions WHERE id = ?";

/**
 * Makes sure, inside a write transaction, that a session takes messages. One that a compaction closed without leaving a
 * continuation is reopened (P15).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED` with the tip.
 */
export function requireOpenSession(w: Writer, sessionId: string, now: number): void {
  const session = w.get<{ reason: string | null }>(END_REASON, [sessionId]);
  if (!session) throw sessionNotFound(sessionId);
  if (session.reason !== COMPRESSION_END_REASON || reopenOrphan(w, sessionId, now)) return;
  const tip = tipOf(w, sessionId);
  throw compressionClosed(sessionId, tip === sessionId ? undefined : tip);
}
