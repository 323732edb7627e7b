import { isDeepStrictEqual } from "node:util";
import type { Writer } from "@hermes/state-schema";
import type { JsonObject } from "../codec/json-value.js";
import { addRoute, deleteRoute, findRoute, saveRoute } from "./routing-rows.js";

/** What somebody made of an entry that they had read: undefined before for a new one, after for a deleted one. */
export interface RouteChange {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/** What became of a change. `kept`: others changed the entry meanwhile, and theirs stands. */
export type RouteChangeOutcome = "unchanged" | "added" | "changed" | "deleted" | "kept" | "gone";

/** The stored entry with the fields that somebody changed; all others are as stored. */
function merged(stored: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const fields = new Map(Object.entries(stored));
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(before[key], after[key])) continue;
    const value = after[key];
    if (value === undefined) fields.delete(key);
    else fields.set(key, value);
  }
  return Object.fromEntries(fields);
}

/**
 * Brings what somebody made of an entry into the stored one, field by field: a snapshot that is stale by now overwrites
 * nothing that others changed (CPT-10). Inside the caller's transaction.
 *
 * @param now - REAL seconds.
 */
export function mergeRouteChange(
  w: Writer,
  scope: string,
  sessionKey: string,
  { before, after }: RouteChange,
  now: number,
): RouteChangeOutcome {
  if (isDeepStrictEqual(before, after)) return "unchanged";
  if (before === undefined) return addRoute(w, scope, sessionKey, after ?? {}, now) ? "added" : "kept";
  const stored = findRoute(w, scope, sessionKey)?.entry;
  if (stored === undefined) return "gone";
  if (after === undefined) {
    return isDeepStrictEqual(stored, before) && deleteRoute(w, scope, sessionKey) ? "deleted" : "kept";
  }
  saveRoute(w, scope, sessionKey, merged(stored, before, after), now);
  return "changed";
}
