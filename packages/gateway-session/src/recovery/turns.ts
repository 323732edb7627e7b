import type { RoutingEntry } from "../entry/routing-entry.js";

/** The route while a turn runs in it. */
export function withTurn(entry: RoutingEntry, token: string, now: number): RoutingEntry {
  return { ...entry, activeTurnToken: token, activeTurnStartedAtSeconds: now, updatedAtSeconds: now };
}

/** The route when no turn runs in it. */
export function withoutTurn(entry: RoutingEntry): RoutingEntry {
  return { ...entry, activeTurnToken: null, activeTurnStartedAtSeconds: null };
}

/** The route after a turn that went well: nothing waits to be taken up, and its restarts are forgotten. */
export function afterTurn(entry: RoutingEntry): RoutingEntry {
  return {
    ...withoutTurn(entry),
    resumePending: false,
    resumeReason: null,
    lastResumeMarkedAtSeconds: null,
    restartFailures: 0,
  };
}
