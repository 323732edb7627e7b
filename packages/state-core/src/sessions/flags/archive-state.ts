import type { Writer } from "@hermes/state-schema";
import { CONVERSATION_SQL } from "../../lineage/conversation-sql.js";
import { forkSql } from "../../lineage/fork-sql.js";
import { tipOf } from "../../lineage/walk-continuations.js";
import { COMPRESSION_END_REASON, RECOVERABLE_END_REASONS } from "../end-reasons.js";
import { reopenSession } from "../reopen-session.js";

const UNARCHIVE = `${CONVERSATION_SQL}
  UPDATE sessions SET archived = 0, auto_archived = 0
  WHERE id IN (SELECT id FROM conversation) AND (archived <> 0 OR auto_archived <> 0)`;

const SELECT_STATE = "SELECT archived, end_reason AS reason FROM sessions WHERE id = ?";

/** What is said of a whole conversation goes on in its next segment. */
const JOIN = `
  UPDATE sessions AS child SET
    archived = parent.archived, auto_archived = parent.auto_archived,
    pinned = parent.pinned, hidden = parent.hidden, last_read_at = parent.last_read_at
  FROM sessions AS parent
  WHERE child.id = ? AND parent.id = child.parent_session_id
    AND parent.end_reason = '${COMPRESSION_END_REASON}' AND NOT ${forkSql("child")}`;

const SELECT_SWEPT = "SELECT 1 AS swept FROM sessions WHERE id = ? AND auto_archived <> 0";

/**
 * Brings a session that was just made into the conversation it continues, if it continues one: it takes over the
 * flags, and a conversation that only the sweep of idle ones had archived comes back. An archive by hand stands
 * (COR-30).
 */
export function joinConversation(w: Writer, sessionId: string): void {
  if (w.run(JOIN, [sessionId]).changes === 0) return;
  if (w.get(SELECT_SWEPT, [sessionId])) w.run(UNARCHIVE, [sessionId]);
}

/**
 * Brings an archived conversation back whose last segment an accident had ended, and reopens that one. A deliberate
 * end stands, and so does the archive then (COR-30).
 *
 * @returns Whether it came back.
 */
export function unarchiveRecoverable(w: Writer, sessionId: string): boolean {
  const tip = tipOf(w, sessionId);
  const state = w.get<{ archived: number; reason: string | null }>(SELECT_STATE, [tip]);
  if (!state || state.archived === 0 || !RECOVERABLE_END_REASONS.has(state.reason ?? "")) return false;
  w.run(UNARCHIVE, [sessionId]);
  return reopenSession(w, tip);
}
