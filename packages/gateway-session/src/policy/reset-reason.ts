import type { RoutingEntry } from "../entry/routing-entry.js";
import { dailyBoundary } from "./daily-boundary.js";
import type { ResetPolicy } from "./reset-policy.js";

/** Why a conversation starts over by itself; the session that is left ends with it. */
export type ResetReason = "suspended" | "idle" | "daily" | "resume_pending_expired";

/** What of a route decides whether its conversation starts over. */
export type ResetState = Pick<
  RoutingEntry,
  "updatedAtSeconds" | "suspended" | "resumePending" | "lastResumeMarkedAtSeconds"
>;

/** The question whether a conversation starts over. */
export interface ResetQuestion {
  readonly entry: ResetState;
  readonly policy: ResetPolicy;
  /** REAL seconds. */
  readonly now: number;
  /** IANA name of the time zone whose days count. */
  readonly zone: string;
  /** Whether the peer has work in the background: see `backgroundActive`. Default false. */
  readonly backgroundActive?: boolean;
}

/** The last moment at which a resting conversation still goes on; REAL seconds. */
export function idleDeadline(entry: ResetState, policy: ResetPolicy): number {
  return entry.updatedAtSeconds + policy.idleMinutes * 60;
}

/** The last moment at which a pending turn may be taken up; undefined for none and for ever. */
export function resumeDeadline(entry: ResetState, policy: ResetPolicy): number | undefined {
  if (!entry.resumePending || policy.mode === "none" || policy.resumeFreshnessSeconds <= 0) return undefined;
  return (entry.lastResumeMarkedAtSeconds ?? entry.updatedAtSeconds) + policy.resumeFreshnessSeconds;
}

/** Why time has ended a conversation, background work or not; null where it has not. */
export function expiryReason(question: ResetQuestion): "idle" | "daily" | null {
  const { entry, policy, now, zone } = question;
  const byIdle = policy.mode === "idle" || policy.mode === "both";
  if (byIdle && now > idleDeadline(entry, policy)) return "idle";
  const byDay = policy.mode === "daily" || policy.mode === "both";
  if (byDay && entry.updatedAtSeconds < dailyBoundary(now, policy.atHour, zone)) return "daily";
  return null;
}

/**
 * Whether the next message of a peer starts its conversation over, and why (GWS-03). At its deadline a conversation
 * still goes on. Work in the background keeps it, unless it was suspended.
 *
 * @returns The reason, or null when it goes on.
 */
export function resetReason(question: ResetQuestion): ResetReason | null {
  const { entry, policy, now, backgroundActive = false } = question;
  if (entry.suspended) return "suspended";
  if (backgroundActive) return null;
  const expired = expiryReason(question);
  if (expired !== null) return expired;
  const deadline = resumeDeadline(entry, policy);
  return deadline !== undefined && now > deadline ? "resume_pending_expired" : null;
}
