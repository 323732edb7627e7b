import type { Reader } from "@hermes/state-schema";

/** The peer walks this far to the key of a turn lease; whoever walks farther claims another key. */
const PEER_HOPS = 100;

const PARENTS = `
  WITH RECURSIVE up (id, parent, hop) AS (
    SELECT id, parent_session_id, 0 FROM sessions WHERE id = ?
    UNION ALL
    SELECT above.id, above.parent_session_id, up.hop + 1
    FROM up JOIN sessions AS above ON above.id = up.parent
    WHERE up.hop < ${String(PEER_HOPS)}
  )
  SELECT id FROM up ORDER BY hop`;

/**
 * The key of a session's turn lease: the root of its tree through every kind of parent, as the peer computes it. A
 * session that does not exist yet is its own.
 */
export function conversationKey(r: Reader, sessionId: string): string {
  let root = sessionId;
  const seen = new Set<string>();
  for (const { id } of r.all<{ id: string }>(PARENTS, [sessionId])) {
    if (seen.has(id)) break;
    seen.add(id);
    root = id;
  }
  return root;
}
