import { currentFlow, enterFlow, VARIABLE_OF } from "./session-variables.js";

/**
 * Says which session goes on here, as after a compaction; the other variables stay (CPT-03). The environment of the
 * process is left alone: it is of every session.
 */
export function setCurrentSessionId(sessionId: string): void {
  const now = currentFlow();
  const variables = new Map(now?.variables).set(VARIABLE_OF.sessionId, sessionId);
  enterFlow({ variables, asyncDelivery: now?.asyncDelivery });
}

/**
 * The same until the end of a block: `using scope = scopedCurrentSessionId("s1")` (CPT-03).
 *
 * @returns Puts back what was before when it is disposed of.
 */
export function scopedCurrentSessionId(sessionId: string): Disposable {
  const before = currentFlow();
  setCurrentSessionId(sessionId);
  return { [Symbol.dispose]: () => enterFlow(before) };
}
