import type { Reader } from "@hermes/state-schema";
import { COMPRESSION_END_REASON } from "../sessions/end-reasons.js";
import { noLiveContinuation, sessionNotFound } from "../sessions/session-errors.js";
import { sessionEnd } from "../sessions/session-end.js";
import { liveChildren } from "./live-children.js";
import { walkContinuations } from "./walk-continuations.js";

/**
 * The session that takes the messages of a session: itself, or the live tip of its conversation when a compaction
 * closed it. Fails closed when the tip has ended, when nothing continues the session, and when two live sessions
 * continue the same one (COR-26).
 *
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_NO_LIVE_CONTINUATION`.
 */
export function adoptTip(r: Reader, sessionId: string): string {
  const session = sessionEnd(r, sessionId);
  if (!session) throw sessionNotFound(sessionId);
  if (session.reason !== COMPRESSION_END_REASON) return sessionId;
  const chain = walkContinuations(r, [sessionId]).get(sessionId) ?? [];
  const [last, tip] = chain.slice(-2);
  if (last === undefined || tip === undefined) throw noLiveContinuation(sessionId, undefined, "none");
  if (sessionEnd(r, tip)?.endedAt !== null) throw noLiveContinuation(sessionId, tip, "ended");
  if (liveChildren(r, last).length > 1) throw noLiveContinuation(sessionId, tip, "ambiguous");
  return tip;
}
