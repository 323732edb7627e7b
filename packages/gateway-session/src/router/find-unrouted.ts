import { parseRoutingJson } from "@hermes/state-core";
import type { KeyedPeer } from "@hermes/state-core";
import { legacyKeys } from "../key/legacy-keys.js";
import { parseSessionKey } from "../key/parse-session-key.js";
import { provesSamePeer } from "../key/proves-same-peer.js";
import type { RoutingEntry } from "../entry/routing-entry.js";
import type { KeyedSession } from "../port/session-storage-port.js";
import { decodeSource } from "../source/decode-source.js";
import type { MessageSource } from "../source/message-source.js";
import { peerOf } from "./peer-of.js";
import type { RouteContext } from "./route-context.js";

/** The route of a peer under an older spelling of its key, where it is proven to be the same peer's (GWS-01). */
export async function findOlderRoute(context: RouteContext, source: MessageSource): Promise<RoutingEntry | undefined> {
  for (const key of legacyKeys(source, context.sharing)) {
    const entry = await context.keeper.find(key);
    if (entry?.origin && provesSamePeer(entry.origin, source, context.sharing)) return entry;
  }
  return undefined;
}

/** A workspace is not part of the address, so an address alone does not tell two of them apart. */
function hasScopedKey({ platform, scopeId }: MessageSource): boolean {
  return platform.toLowerCase() === "slack" && Boolean(scopeId);
}

function originOf(session: KeyedSession): MessageSource | undefined {
  if (session.originJson === null) return undefined;
  try {
    return decodeSource(parseRoutingJson(session.originJson));
  } catch {
    // What was written down about the peer cannot be read: it proves nothing.
    return undefined;
  }
}

/** A session that several people share is not given to one of them, nor the other way round (GWS-04). */
function sharedAlike(found: string | null, wanted: string): boolean {
  if (!found || found === wanted) return true;
  try {
    return parseSessionKey(found).ids.length === parseSessionKey(wanted).ids.length;
  } catch {
    // A key of no known form: whom it stands for is not certain.
    return false;
  }
}

/**
 * Under an older spelling. Once the peer has a session under today's key, those before it are history: one of them
 * might have been left on purpose (P18).
 */
async function byOlderKey(
  context: RouteContext,
  today: string,
  source: MessageSource,
): Promise<KeyedSession | undefined> {
  const [newer] = await context.port.sessionsOfKey(today, 1);
  if (newer) return undefined;
  for (const sessionKey of legacyKeys(source, context.sharing)) {
    const found = await context.port.latestForPeer({ source: source.platform, sessionKey });
    const origin = found && originOf(found);
    if (found && origin && provesSamePeer(origin, source, context.sharing)) return found;
  }
  return undefined;
}

/**
 * The session that a peer without a route was last in: live, or ended by an accident; undefined where it is not certain
 * (GWS-04).
 */
export async function findUnrouted(
  context: RouteContext,
  sessionKey: string,
  source: MessageSource,
): Promise<KeyedSession | undefined> {
  const whole = peerOf(sessionKey, source);
  const peer: KeyedPeer = hasScopedKey(source) ? { source: whole.source, sessionKey } : whole;
  const found = await context.port.latestForPeer(peer);
  if (found && sharedAlike(found.sessionKey, sessionKey)) return found;
  return byOlderKey(context, sessionKey, source);
}
