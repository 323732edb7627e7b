import type { Writer } from "@hermes/state-schema";
import { addDailyUsage } from "./daily-usage.js";
import { addModelUsage } from "./model-usage.js";
import { applyToSession } from "./session-totals.js";
import type { UsagePlace } from "./session-totals.js";
import { addsAnything } from "./usage-entry.js";
import type { UsageEntry } from "./usage-entry.js";

const SELECT_KNOWN = "SELECT 1 AS known FROM sessions WHERE id = ?";

/**
 * Applies one record of usage inside a transaction (COR-32): to the session's totals, to its usage by route, and by
 * day where the file keeps days. Auxiliary work is kept by route and task alone and never takes the session's route;
 * totals that are set say nothing about routes.
 *
 * @returns False when an auxiliary entry names a session that does not exist: there is nothing to add it to.
 */
export function applyEntry(w: Writer, entry: UsageEntry, place: UsagePlace): boolean {
  if (entry.kind === "auxiliary") {
    if (!w.get(SELECT_KNOWN, [entry.sessionId])) return false;
    if (addsAnything(entry)) addModelUsage(w, entry, [], place.now);
    return true;
  }
  const { before, route } = applyToSession(w, entry, place);
  if (entry.kind === "delta" && addsAnything(entry)) addModelUsage(w, entry, route, place.now);
  addDailyUsage(w, entry, before, place.now);
  return true;
}
