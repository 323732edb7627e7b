import type { Writer } from "@hermes/state-schema";

const RECOUNT = `
  UPDATE sessions SET
    message_count = (SELECT COUNT(1) FROM messages WHERE session_id = sessions.id AND active = 1),
    tool_call_count = (
      SELECT COALESCE(SUM(json_array_length(tool_calls)), 0) FROM messages
      WHERE session_id = sessions.id AND active = 1 AND json_valid(tool_calls))
  WHERE id = ?`;

/** Sets a session's counters to what its rows say, in the caller's transaction. */
export function recountSession(w: Writer, id: string): void {
  w.run(RECOUNT, [id]);
}
