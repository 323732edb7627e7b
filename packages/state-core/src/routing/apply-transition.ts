import type { Writer } from "@hermes/state-schema";
import { reopenOrphan } from "../lineage/reopen-orphan.js";
import { COMPRESSION_END_REASON, RECOVERABLE_END_REASONS } from "../sessions/end-reasons.js";
import { reopenSession } from "../sessions/reopen-session.js";
import { sessionEnd } from "../sessions/session-end.js";
import { beginSession } from "./begin-session.js";
import { carryGeneration } from "./carry-generation.js";
import { leaveSession } from "./leave-session.js";
import type { TransitionPlan } from "./plan-transition.js";
import { recordPeer } from "./record-peer.js";
import type { RouteTransitionReceipt } from "./route-transition.js";
import { deleteRoute, findRoute, routedSession, saveRoute } from "./routing-rows.js";

/** What was left on purpose is not recovered (P18). */
function isRecoverable(w: Writer, sessionId: string): boolean {
  const end = sessionEnd(w, sessionId);
  if (!end || end.endedAt === null) return true;
  return end.reason === COMPRESSION_END_REASON || RECOVERABLE_END_REASONS.has(end.reason ?? "");
}

/** A segment that a compaction closed stays closed while another one continues it. */
function reopen(w: Writer, sessionId: string, now: number): void {
  if (sessionEnd(w, sessionId)?.reason === COMPRESSION_END_REASON) reopenOrphan(w, sessionId, now);
  else reopenSession(w, sessionId);
}

/**
 * Takes a step of a route inside one write transaction: all that it means, or nothing (GWS-02). Entries of other keys
 * are not touched.
 */
export function applyTransition(w: Writer, { step, begin, now }: TransitionPlan): RouteTransitionReceipt {
  const { scope, sessionKey, entry, expectedSessionId, leave, peer, recover } = step;
  const stored = findRoute(w, scope, sessionKey);
  const asExpected = expectedSessionId === undefined || routedSession(stored) === expectedSessionId;
  if (!asExpected || (recover !== undefined && !isRecoverable(w, recover))) {
    return { applied: false, stored, created: false, titleGiven: null };
  }
  const begun = begin ? beginSession(w, begin) : { created: false, titleGiven: null };
  // What is made may be left by the same step: a late message of a session that its peer has left already.
  if (leave) leaveSession(w, leave.sessionId, leave.reason, now);
  for (const id of [step.reopen, recover]) if (id !== undefined) reopen(w, id, now);
  if (peer) recordPeer(w, peer.sessionId, peer.record, peer.includeAncestors ?? false);
  if (step.replacesKey !== undefined) {
    carryGeneration(w, step.replacesKey, sessionKey);
    deleteRoute(w, scope, step.replacesKey);
  }
  if (entry === null) deleteRoute(w, scope, sessionKey);
  else saveRoute(w, scope, sessionKey, entry, now);
  return { applied: true, stored: findRoute(w, scope, sessionKey), ...begun };
}
