import type { RoutingEntry } from "../entry/routing-entry.js";
import type { RouteContext } from "./route-context.js";

/** Whether nobody misses a route that was last active before the cutoff: nothing works, waits or is pinned there. */
export async function isStale(context: RouteContext, entry: RoutingEntry, cutoff: number): Promise<boolean> {
  if (entry.updatedAtSeconds >= cutoff || entry.suspended || entry.activeTurnToken !== null) return false;
  if (await context.worksInBackground(entry)) return false;
  const { pinned, activeAtSeconds } = await context.port.standing(entry.sessionId);
  return !pinned && (activeAtSeconds === null || activeAtSeconds < cutoff);
}
