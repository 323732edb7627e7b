/**
 * SQL that is true for rows that are shown: what the model sees, and what a compaction summarised away.
 *
 * @param row - Alias of `messages`.
 */
export function visibleSql(row: string): string {
  return `(COALESCE(${row}.active, 1) = 1 OR ${row}.compacted = 1)`;
}

/**
 * SQL that is true for two rows that are one message: each compaction that carries a message over writes it again.
 * Everything has to agree, since two tool calls with equal text are two calls (COR-28).
 */
export function sameMessageSql(a: string, b: string): string {
  const cells = ["content", "tool_call_id", "tool_calls", "tool_name"].map((name) => `${a}.${name} IS ${b}.${name}`);
  return `${a}.session_id = ${b}.session_id AND ${a}.timestamp = ${b}.timestamp AND ${a}.role = ${b}.role
    AND ${cells.join(" AND ")}`;
}

/**
 * SQL that is true for the first shown row of its message, which is where the message stands in the history.
 *
 * @param row - Alias of `messages`, a row that is shown.
 */
export function firstOfMessageSql(row: string): string {
  return `NOT EXISTS (
    SELECT 1 FROM messages AS earlier
    WHERE ${sameMessageSql("earlier", row)} AND earlier.id < ${row}.id AND ${visibleSql("earlier")})`;
}

/**
 * SQL for the row that stands for a message: the live one, else the newest.
 *
 * @param row - Alias of any shown row of the message.
 */
export function shownRowSql(row: string): string {
  return `(SELECT peer.id FROM messages AS peer
    WHERE ${sameMessageSql("peer", row)} AND ${visibleSql("peer")}
    ORDER BY COALESCE(peer.active, 1) DESC, peer.id DESC LIMIT 1)`;
}
