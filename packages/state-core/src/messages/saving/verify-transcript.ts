import type { Reader, SqlValue } from "@hermes/state-schema";
import { segmentsBefore, walkAncestors } from "../../lineage/walk-ancestors.js";
import { sessionNotFound } from "../../sessions/session-errors.js";
import { cellOf } from "../encode-message.js";
import type { EncodedMessage } from "../encode-message.js";
import type { TranscriptPlan } from "./plan-transcript.js";
import { transcriptOfAncestor, transcriptStale, transcriptUnmarked } from "./saving-errors.js";

const SESSION_EXISTS = "SELECT 1 AS known FROM sessions WHERE id = ?";
const HAS_MESSAGES = "SELECT EXISTS (SELECT 1 FROM messages WHERE session_id = ?) AS found";

/** Answered by an index alone, whatever the messages weigh. */
const MOMENTS = "SELECT id, timestamp FROM messages WHERE session_id = ?";

const MOMENTS_ABOVE = `
  SELECT id, timestamp FROM messages
  WHERE id IN (SELECT value FROM json_each(?)) AND session_id IN (SELECT value FROM json_each(?))`;

const LIVE_AFTER = `
  SELECT id, role, content, tool_call_id, tool_calls, timestamp, platform_message_id FROM messages
  WHERE session_id = ? AND id > ? AND COALESCE(active, 1) = 1 ORDER BY id LIMIT ?`;

type Moment = readonly [id: number, timestamp: number | string | null];

/** Rows of the list that are in none of its sessions, or are other messages than those that were marked. */
function missingRows(r: Reader, { sessionId, stored }: TranscriptPlan): number[] {
  const moments = new Map(r.tuples<Moment>(MOMENTS, [sessionId]));
  const elsewhere = stored.flatMap(({ place }) => place.rows).filter((id) => !moments.has(id));
  if (elsewhere.length > 0) {
    const above = walkAncestors(r, sessionId).map((step) => step.id);
    const found = r.tuples<Moment>(MOMENTS_ABOVE, [JSON.stringify(elsewhere), JSON.stringify(above)]);
    for (const [id, timestamp] of found) moments.set(id, timestamp);
  }
  return stored.flatMap(({ place: { rows, seconds } }) =>
    rows.filter((id, index) => !moments.has(id) || (index === 0 && isOther(moments.get(id), seconds))),
  );
}

/** After an older copy of the file was put back, an id can be given a second time. */
function isOther(timestamp: unknown, seconds: number | undefined): boolean {
  return seconds !== undefined && typeof timestamp === "number" && timestamp !== seconds;
}

/**
 * Makes sure that what a list names as stored is stored, and that it does not come from a segment that this session
 * continues and repeats.
 *
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_TRANSCRIPT_STALE`.
 */
export function verifyStored(r: Reader, plan: TranscriptPlan): void {
  const { sessionId, stored, origins } = plan;
  if (!r.get(SESSION_EXISTS, [sessionId])) throw sessionNotFound(sessionId);
  const missing = stored.length > 0 ? missingRows(r, plan) : [];
  if (missing.length > 0) throw transcriptStale(sessionId, missing);
  if (origins.size === 0) return;
  const ancestor = segmentsBefore(r, sessionId).find((id) => origins.has(id));
  if (ancestor === undefined) return;
  if (r.get<{ found: number }>(HAS_MESSAGES, [sessionId])?.found === 1) throw transcriptOfAncestor(sessionId, ancestor);
}

interface LiveRow {
  readonly id: number;
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id: string | null;
  readonly tool_calls: string | null;
  readonly timestamp: number;
  readonly platform_message_id: string | null;
}

function asStored(cell: SqlValue | undefined): SqlValue | undefined {
  return typeof cell === "string" ? cell.toWellFormed() : cell;
}

const COMPARED = ["role", "content", "tool_call_id", "tool_calls"] as const;

/**
 * Refuses new messages that begin with everything the session holds behind the newest row the list names: then the list
 * has lost its markers, and all of it would be stored again. Platform ids need no such guard, they are stored once.
 *
 * @param encoded - The new messages, in order.
 * @throws StateError `STATE_E_TRANSCRIPT_UNMARKED`.
 */
export function refuseRepeats(r: Reader, plan: TranscriptPlan, encoded: readonly EncodedMessage[]): void {
  const { sessionId, newest, fresh } = plan;
  if (fresh.some((entry) => entry.foreign)) return;
  const known = new Set(encoded.map((message) => message.platformMessageId));
  const rows = r
    .all<LiveRow & object>(LIVE_AFTER, [sessionId, newest, encoded.length + 1])
    .filter((row) => row.platform_message_id === null || !known.has(row.platform_message_id));
  const said = fresh.flatMap(({ message }, index) => {
    const cells = encoded[index] as EncodedMessage;
    return cells.platformMessageId === null ? [{ cells, timed: message.timestampSeconds !== undefined }] : [];
  });
  if (rows.length === 0 || rows.length > said.length) return;
  const repeats = rows.every((row, index) => {
    const next = said[index];
    if (next === undefined || (next.timed && row.timestamp !== next.cells.timestampSeconds)) return false;
    return COMPARED.every((column) => asStored(cellOf(next.cells, column)) === row[column]);
  });
  if (repeats) throw transcriptUnmarked(sessionId, rows.map((row) => row.id));
}
