import { type JsonObject, readRoutingObjects } from "@hermes/state-core";
import { canonicalSessionKey } from "../key/canonical-session-key.js";
import { decodeEntry } from "./decode-entry.js";
import { encodeEntry } from "./encode-entry.js";
import type { EntryOptions } from "./entry-options.js";

/** The routes of a routing file. */
export interface RoutingFile {
  /** By key, as {@link encodeEntry} writes them: no credentials, no trust. */
  readonly entries: ReadonlyMap<string, JsonObject>;
  readonly skipped: readonly { readonly sessionKey: string; readonly reason: string }[];
  /** Why nothing could be read of a file that is there. */
  readonly problem?: string;
}

/**
 * Reads the routing file of older gateways (`sessions.json`). Entries that are none are skipped one by one; a file that
 * is missing, torn or far too large gives no entries and never an error.
 *
 * Source of the rule: GWS-02.
 */
export function readRoutingFile(path: string, options: EntryOptions = {}): RoutingFile {
  const read = readRoutingObjects(path);
  if (read === undefined) return { entries: new Map(), skipped: [] };
  const entries = new Map<string, JsonObject>();
  const skipped = read.skipped.map((sessionKey) => ({ sessionKey, reason: "it is no object" }));
  for (const [stored, json] of read.entries) {
    const sessionKey = canonicalSessionKey(stored);
    // Another spelling of a key that is there: one route, and it is the canonical one's.
    if (sessionKey !== stored && read.entries.has(sessionKey)) continue;
    const decoded = decodeEntry(sessionKey, json, read.changedAtSeconds, options);
    if ("entry" in decoded) entries.set(sessionKey, encodeEntry(decoded.entry, options));
    else skipped.push({ sessionKey, reason: decoded.skipped });
  }
  return { entries, skipped, ...(read.problem !== undefined && { problem: read.problem }) };
}
