import type { RouteTransition } from "@hermes/state-core";
import { HISTORY_LIMIT } from "../entry/entry-metadata.js";
import type { RouteStep, RoutingEntry } from "../entry/routing-entry.js";

/** What one step of a route is, before it is taken: the entry as it will be, and what it means for sessions. */
export interface PlannedStep extends Pick<
  RouteTransition,
  "leave" | "create" | "flags" | "reopen" | "recover" | "peer"
> {
  /** Null deletes the route. */
  readonly entry: RoutingEntry | null;
  readonly replacesKey?: string;
}

/** The entry with one more step in its history (GWS-09); the oldest ones beyond the limit are forgotten. */
export function withStep(entry: RoutingEntry, step: RouteStep): RoutingEntry {
  return { ...entry, history: [...entry.history, step].slice(-HISTORY_LIMIT) };
}
