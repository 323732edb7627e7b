import type { Writer } from "@hermes/state-schema";
import { tipOf } from "../lineage/walk-continuations.js";
import { BOUNDARY_END_REASONS } from "../sessions/end-reasons.js";
import { endSession, promoteSession } from "../sessions/end-session.js";

/**
 * Ends the conversation that a peer leaves, where it is now: a compaction may have moved it on since the route was
 * read, and what the peer left must not live on beside it (P18). A deliberate reason also restamps what an accident
 * ended, so that it is not resumed (COR-20).
 *
 * @param now - REAL seconds.
 * @returns The session that was left.
 */
export function leaveSession(w: Writer, sessionId: string, reason: string, now: number): string {
  const tip = tipOf(w, sessionId);
  const end = BOUNDARY_END_REASONS.has(reason) ? promoteSession : endSession;
  end(w, tip, reason, now);
  return tip;
}
