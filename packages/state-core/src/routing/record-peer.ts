import { TRIGRAM_EXCLUDED_SOURCES } from "@hermes/state-schema";
import type { Writer } from "@hermes/state-schema";
import { segmentsBefore } from "../lineage/walk-ancestors.js";
import type { PeerRecord } from "./peer-address.js";

const EXCLUDED = TRIGRAM_EXCLUDED_SOURCES.map((source) => `'${source}'`).join(", ");

/**
 * The search index decides by the source whether it admits a message, and again when it removes it: a session keeps
 * its source where the new one stands on the other side of that line (docs/sharing.md).
 */
const RECORD = `
  UPDATE sessions SET
    source = CASE WHEN (source IN (${EXCLUDED})) = ? THEN ? ELSE source END,
    session_key = ?, user_id = ?, chat_id = ?, chat_type = ?, thread_id = ?,
    display_name = COALESCE(?, display_name), origin_json = COALESCE(?, origin_json)
  WHERE id IN (SELECT value FROM json_each(?))`;

/**
 * Writes down who talks in a session, over what was there; what the peer is called, and how the gateway saw it, is kept
 * where nothing new is known.
 *
 * @param withAncestors - Also in the earlier segments of the conversation.
 * @returns Whether there is such a session.
 */
export function recordPeer(w: Writer, sessionId: string, peer: PeerRecord, withAncestors: boolean): boolean {
  const ids = withAncestors ? segmentsBefore(w, sessionId) : [sessionId];
  const { changes } = w.run(RECORD, [
    TRIGRAM_EXCLUDED_SOURCES.includes(peer.source) ? 1 : 0,
    peer.source,
    peer.sessionKey,
    ...[peer.userId, peer.chatId, peer.chatType, peer.threadId].map((text) => text ?? null),
    peer.displayName ?? null,
    peer.originJson ?? null,
    JSON.stringify(ids),
  ]);
  return changes > 0;
}
