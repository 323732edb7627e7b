import { COMPRESSION_END_REASON } from "../sessions/end-reasons.js";
import { forkSql } from "./fork-sql.js";

/**
 * A common table expression `conversation (id)`: every segment of a conversation, reached from any of them up and down
 * through compactions. It is a set, so a ring ends it; a branch, delegate, reset or tool session is not in it (COR-30).
 * Binds one parameter, the id to begin with, and is empty when that does not exist.
 */
export const CONVERSATION_SQL: string = `WITH RECURSIVE conversation (id) AS (
    SELECT id FROM sessions WHERE id = ?
    UNION
    SELECT parent.id
    FROM conversation
    JOIN sessions AS self ON self.id = conversation.id
    JOIN sessions AS parent ON parent.id = self.parent_session_id AND parent.end_reason = '${COMPRESSION_END_REASON}'
    WHERE NOT ${forkSql("self")}
    UNION
    SELECT child.id
    FROM conversation
    JOIN sessions AS closed ON closed.id = conversation.id AND closed.end_reason = '${COMPRESSION_END_REASON}'
    JOIN sessions AS child ON child.parent_session_id = closed.id
    WHERE NOT ${forkSql("child")}
  )`;
