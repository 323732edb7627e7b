import type { RoutingEntry } from "../entry/routing-entry.js";
import type { ResetPolicy } from "./reset-policy.js";
import { expiryReason } from "./reset-reason.js";
import type { ResetQuestion } from "./reset-reason.js";

/**
 * Whether sessions of a peer are ended by time, so that only that may end them and no sweep of idle ones. A policy that
 * cannot be told leaves them to the sweep.
 *
 * @param policy - A policy, or how to find it.
 */
export function isFinalizable(policy: ResetPolicy | (() => ResetPolicy)): boolean {
  try {
    const found = typeof policy === "function" ? policy() : policy;
    return found.mode !== "none";
  } catch {
    // Whoever asks wants to know what may be swept: what is not certain to expire by itself may.
    return false;
  }
}

/** The question whether a conversation has expired. */
export interface ExpiryQuestion extends ResetQuestion {
  readonly entry: ResetQuestion["entry"] & Pick<RoutingEntry, "sessionId" | "expiryFinalized">;
}

/** What is to be done about a conversation that has expired, all of it in one step. */
export interface ExpiryFinalization {
  readonly why: "idle" | "daily";
  /** The session ends for good: without it a later accident would be its end, and it would come back (P18). */
  readonly leave: { readonly sessionId: string; readonly reason: "session_reset" };
  /** What changes in the route. */
  readonly change: { readonly expiryFinalized: true; readonly modelOverride: null };
}

/** What is to be done about a conversation that time has ended; null where it goes on or it has been done (GWS-03). */
export function finalizeExpiry(question: ExpiryQuestion): ExpiryFinalization | null {
  const { entry, policy, backgroundActive = false } = question;
  if (entry.expiryFinalized || backgroundActive || !isFinalizable(policy)) return null;
  const why = expiryReason(question);
  if (why === null) return null;
  return {
    why,
    leave: { sessionId: entry.sessionId, reason: "session_reset" },
    change: { expiryFinalized: true, modelOverride: null },
  };
}
