import type { Writer } from "@hermes/state-schema";
import { isProvablyDead } from "../leases/is-provably-dead.js";
import { deleteLease, readLease } from "../leases/lease-rows.js";
import { walkContinuations } from "./walk-continuations.js";

const REOPEN = "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ? AND end_reason = 'compression'";

/**
 * Reopens a session that a compaction closed without leaving a continuation, as a crash between the two steps does
 * (P15). Does nothing while a continuation exists, or while a compaction that may still be alive holds the session.
 *
 * @param now - REAL seconds.
 * @returns Whether the session takes messages again (COR-26).
 */
export function reopenOrphan(w: Writer, sessionId: string, now: number): boolean {
  if ((walkContinuations(w, [sessionId]).get(sessionId)?.length ?? 0) > 1) return false;
  const lease = readLease(w, "compression", sessionId);
  if (lease) {
    const over = lease.expiresAtSeconds !== undefined && lease.expiresAtSeconds <= now;
    if (!over && !isProvablyDead(lease.holder)) return false;
    deleteLease(w, "compression", sessionId, lease.holder);
  }
  return w.run(REOPEN, [sessionId]).changes > 0;
}
