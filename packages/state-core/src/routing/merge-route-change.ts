import { isDeepStrictEqual } from "node:util";
import type { Reader, Writer } from "@hermes/state-schema";
import type { JsonObject, JsonValue } from "../codec/json-value.js";
import { addRoute, deleteRoute, findRoute, saveRoute } from "./routing-rows.js";

/** What somebody made of an entry that they had read: undefined before for a new one, after for a deleted one. */
export interface RouteChange {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/**
 * What became of a change. `kept`: others changed the entry meanwhile, and theirs stands; `overtaken`: they changed the
 * same of it, and nothing was written.
 */
export type RouteChangeOutcome = "unchanged" | "added" | "changed" | "deleted" | "kept" | "gone" | "overtaken";

/** Own fields only: a field may be called `constructor`. */
function fieldOf(entry: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}

function changedFields(before: JsonObject, after: JsonObject): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(fieldOf(before, key), fieldOf(after, key)));
}

/**
 * Whether others changed what somebody changes in an entry that they had read. The same value does not make it the same
 * change: two that count from one to two make three.
 */
export function isOvertaken(r: Reader, scope: string, sessionKey: string, { before, after }: RouteChange): boolean {
  if (after === undefined || isDeepStrictEqual(before, after)) return false;
  const stored = findRoute(r, scope, sessionKey)?.entry;
  if (stored === undefined) return false;
  if (before === undefined) return true;
  return changedFields(before, after).some((key) => !isDeepStrictEqual(fieldOf(stored, key), fieldOf(before, key)));
}

/** The stored entry with the fields that somebody changed; all others are as stored. */
function merged(stored: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const fields = new Map(Object.entries(stored));
  for (const key of changedFields(before, after)) {
    const value = fieldOf(after, key);
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
