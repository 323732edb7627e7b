import { RECOVERABLE_END_REASONS } from "@hermes/state-core";
import type { SessionStanding } from "../port/session-storage-port.js";

/**
 * What becomes of a route. `keep`: it stands. `goOn`: the conversation goes on in this session, which is reopened where
 * it had ended. `reset`: a new session, and the old one ends for the reason. `leave`: somebody ended the session
 * elsewhere, so the peer's latest one is looked for, and a new one begins where there is none.
 */
export type RouteDecision =
  | { readonly kind: "keep" }
  | { readonly kind: "goOn"; readonly sessionId: string }
  | { readonly kind: "reset"; readonly reason: string }
  | { readonly kind: "leave"; readonly reason: string | null };

/**
 * Decides about a known route. A due reset wins over everything: what was left on purpose is not looked for. A session
 * that an accident ended goes on under the same id; one that was ended deliberately never does (GWS-03, P18).
 *
 * @param standing - Of the session the route names.
 * @param tip - Of the last segment of its conversation; the same where a compaction did not move it.
 * @param reset - The reason of a due reset, null for none.
 */
export function decideRoute(standing: SessionStanding, tip: SessionStanding, reset: string | null): RouteDecision {
  if (reset !== null) return { kind: "reset", reason: reset };
  if (standing.state === "live" || standing.state === "missing") return { kind: "keep" };
  const { sessionId, endReason: reason } = tip;
  // A compaction that died before it made the continuation goes on where it stopped (P15).
  const goesOn = tip.state === "live" || tip.state === "closed" || RECOVERABLE_END_REASONS.has(reason ?? "");
  return goesOn ? { kind: "goOn", sessionId } : { kind: "leave", reason };
}
