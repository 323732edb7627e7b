import type { Writer } from "@hermes/state-schema";
import { CONVERSATION_SQL } from "../../lineage/conversation-sql.js";

/** What a user may set on a conversation. */
export type SessionFlag = "archived" | "pinned" | "hidden";

/** The words of {@link SessionFlag}. */
export const SESSION_FLAGS: readonly SessionFlag[] = ["archived", "pinned", "hidden"];

/** The gateway keeps one conversation of this title hidden for itself; pinning it must not show it. */
const GATEWAY_TITLE = "Bot Chat";

const WHOLE = "WHERE id IN (SELECT id FROM conversation)";

/** Whoever sets the archive by hand means it: it is no longer the sweep's. */
const SET: Readonly<Record<SessionFlag, string>> = {
  archived: `${CONVERSATION_SQL} UPDATE sessions SET archived = ?, auto_archived = 0 ${WHOLE}`,
  hidden: `${CONVERSATION_SQL} UPDATE sessions SET hidden = ? ${WHOLE}`,
  pinned: `${CONVERSATION_SQL} UPDATE sessions SET pinned = ? ${WHOLE}`,
};

/** What is pinned is meant to be seen. */
const PIN = `${CONVERSATION_SQL}
  UPDATE sessions SET pinned = ?, hidden = CASE WHEN EXISTS (
    SELECT 1 FROM sessions AS part WHERE part.title = '${GATEWAY_TITLE}' AND part.id IN (SELECT id FROM conversation)
  ) THEN hidden ELSE 0 END
  ${WHOLE}`;

const MARK_READ = `${CONVERSATION_SQL} UPDATE sessions SET last_read_at = ? ${WHOLE}`;

/**
 * Sets a flag on every segment of a conversation, in one statement: a flag on one of them would be undone by the
 * others (COR-30). Pinning also shows what was hidden.
 *
 * @returns Whether there is such a session.
 */
export function setFlag(w: Writer, sessionId: string, flag: SessionFlag, value: boolean): boolean {
  const sql = flag === "pinned" && value ? PIN : SET[flag];
  return w.run(sql, [sessionId, value ? 1 : 0]).changes > 0;
}

/**
 * Says up to when a conversation was read, on every segment of it, in one statement (COR-30).
 *
 * @param at - REAL seconds; zero marks it unread.
 * @returns Whether there is such a session.
 */
export function markRead(w: Writer, sessionId: string, at: number): boolean {
  return w.run(MARK_READ, [sessionId, at]).changes > 0;
}
