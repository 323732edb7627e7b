import type { RoutingEntry } from "../entry/routing-entry.js";
import { resumableEntry } from "../policy/mark-entry.js";
import { withStep } from "../router/route-step.js";
import { withoutTurn } from "./turns.js";

/** How the last run of the gateway ended. */
export interface RestartFacts {
  /** Whether it stopped by itself, after its turns. */
  readonly clean: boolean;
  /** REAL seconds. */
  readonly now: number;
  /** A turn that began longer ago is not taken up. */
  readonly maxTurnAgeSeconds: number;
}

/** So many interrupted restarts in a row, and a conversation is suspended: it may be what stops the gateway. */
export const STUCK_AFTER = 3;

function interrupted(entry: RoutingEntry, { now, maxTurnAgeSeconds }: RestartFacts): RoutingEntry {
  const started = entry.activeTurnStartedAtSeconds;
  const fresh = started !== null && now - started <= maxTurnAgeSeconds;
  const cleared = { ...withoutTurn(entry), restartFailures: entry.restartFailures + 1 };
  const reason = "restart_interrupted";
  const resumable = fresh ? resumableEntry(cleared, reason, now) : undefined;
  if (!resumable) return cleared;
  return withStep(resumable, { atSeconds: now, what: "resume_pending", sessionId: entry.sessionId, why: reason });
}

function suspendStuck(entry: RoutingEntry, now: number): RoutingEntry {
  if (entry.restartFailures < STUCK_AFTER || entry.suspended) return entry;
  const suspended = { ...entry, suspended: true, restartFailures: 0 };
  return withStep(suspended, { atSeconds: now, what: "suspended", sessionId: entry.sessionId, why: "stuck_loop" });
}

/**
 * A route after a restart (GWS-06). After a clean one the mark of a turn means nothing. After an unclean one a fresh
 * turn may be taken up again, a stale one is only forgotten; the third interruption in a row suspends the route. Only
 * restarts in a row count: a route that no turn ran in begins at zero.
 *
 * @returns Undefined when nothing changes.
 */
export function afterRestart(entry: RoutingEntry, facts: RestartFacts): RoutingEntry | undefined {
  const worked = entry.activeTurnToken !== null;
  if (!worked) return entry.restartFailures === 0 ? undefined : { ...entry, restartFailures: 0 };
  return facts.clean ? withoutTurn(entry) : suspendStuck(interrupted(entry, facts), facts.now);
}
