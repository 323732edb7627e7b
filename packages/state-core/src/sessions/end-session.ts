import type { Writer } from "@hermes/state-schema";
import { BOUNDARY_END_REASONS, RECOVERABLE_END_REASONS } from "./end-reasons.js";

const END = "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL";

const PROMOTE = `
  UPDATE sessions SET ended_at = ?, end_reason = ?
  WHERE id = ? AND (ended_at IS NULL OR end_reason IN (SELECT value FROM json_each(?)))`;

/** Only ever counts up and is never collected: an old reference must not fit a new conversation. */
const NEXT_GENERATION = `
  INSERT INTO conversation_generations (source, session_key, generation)
  SELECT source, session_key, 1 FROM sessions WHERE id = ? AND session_key IS NOT NULL
  ON CONFLICT (source, session_key) DO UPDATE SET generation = generation + 1`;

function markBoundary(w: Writer, sessionId: string, reason: string, changes: number): boolean {
  if (changes > 0 && BOUNDARY_END_REASONS.has(reason)) w.run(NEXT_GENERATION, [sessionId]);
  return changes > 0;
}

/**
 * Ends a session unless it has ended: the first reason wins. A reset also begins the next generation of its peer.
 *
 * @param at - REAL seconds.
 * @returns Whether this call ended it; false for an unknown id too.
 */
export function endSession(w: Writer, sessionId: string, reason: string, at: number): boolean {
  return markBoundary(w, sessionId, reason, w.run(END, [at, reason, sessionId]).changes);
}

/**
 * Ends a session by a reset, also when an accident had ended it: what was reset must not be resumed. Any other end
 * stands.
 *
 * @param at - REAL seconds.
 * @returns Whether the session now counts as reset by this call.
 */
export function promoteSession(w: Writer, sessionId: string, reason: string, at: number): boolean {
  const accidents = JSON.stringify([...RECOVERABLE_END_REASONS]);
  return markBoundary(w, sessionId, reason, w.run(PROMOTE, [at, reason, sessionId, accidents]).changes);
}
