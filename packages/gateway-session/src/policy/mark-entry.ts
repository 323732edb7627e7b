import type { RoutingEntry } from "../entry/routing-entry.js";

/** The route whose next message begins a new session; undefined where that is so already. */
export function suspendedEntry(entry: RoutingEntry): RoutingEntry | undefined {
  return entry.suspended ? undefined : { ...entry, suspended: true };
}

/** The route with a turn that may be taken up; undefined where one waits already or the route is suspended (GWS-06). */
export function resumableEntry(entry: RoutingEntry, reason: string, now: number): RoutingEntry | undefined {
  if (entry.suspended || entry.resumePending) return undefined;
  return { ...entry, resumePending: true, resumeReason: reason, lastResumeMarkedAtSeconds: now };
}
