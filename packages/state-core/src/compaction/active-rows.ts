import type { Reader, Writer } from "@hermes/state-schema";
import { encodeToolCalls } from "../codec/tool-calls.js";

/** Rows that the model sees; a file of an old writer may lack the mark. */
const ACTIVE = "session_id = ? AND COALESCE(active, 1) = 1";

const WATERMARK = `SELECT COALESCE(MAX(id), 0) AS id FROM messages WHERE ${ACTIVE}`;
const CEILING = "SELECT COALESCE(MAX(id), 0) AS id FROM messages WHERE session_id = ?";
const ACTIVE_AFTER = `SELECT id FROM messages WHERE ${ACTIVE} AND id > ? ORDER BY id`;
const COUNT = `SELECT COUNT(*) AS total FROM messages WHERE ${ACTIVE}`;
const TOOL_CALLS = `SELECT tool_calls AS calls FROM messages WHERE ${ACTIVE} AND tool_calls IS NOT NULL`;
const SET_COUNTERS = "UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?";

/** The newest message the model sees of a session, 0 when there is none. */
export function activeWatermark(r: Reader, sessionId: string): number {
  return r.get<{ id: number }>(WATERMARK, [sessionId])?.id ?? 0;
}

/** The newest message of a session, seen or not, 0 when there is none. */
export function newestMessageId(r: Reader, sessionId: string): number {
  return r.get<{ id: number }>(CEILING, [sessionId])?.id ?? 0;
}

/** The active messages of a session above a watermark, in order. */
export function activeAfter(r: Reader, sessionId: string, watermark: number): number[] {
  return r.all<{ id: number }>(ACTIVE_AFTER, [sessionId, watermark]).map((row) => row.id);
}

/**
 * Sets the counters of a session to what its active messages are.
 *
 * @returns How many they are.
 */
export function recountActive(w: Writer, sessionId: string): number {
  const total = w.get<{ total: number }>(COUNT, [sessionId])?.total ?? 0;
  const calls = w.all<{ calls: string }>(TOOL_CALLS, [sessionId]).map((row) => encodeToolCalls(row.calls).count);
  const toolCalls = calls.reduce((sum, count) => sum + count, 0);
  w.run(SET_COUNTERS, [total, toolCalls, sessionId]);
  return total;
}
