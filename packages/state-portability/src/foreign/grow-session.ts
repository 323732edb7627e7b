import type { Reader, SqlValue, Writer } from "@hermes/state-schema";
import type { IncomingSession } from "../import/import-reader.js";
import { insertRow } from "../import/insert-row.js";
import type { StoreColumns } from "../import/store-columns.js";
import { RawText } from "../rows/raw-row.js";
import type { Cell } from "../rows/raw-row.js";
import { GROWING_COLUMNS, isEmptyGrowth, planGrowth } from "./plan-growth.js";

/** What became of a session that was here. */
export interface GrownSession {
  /** Messages that are new here. */
  readonly added: number;
  /** Messages that say something else now, or left the path. */
  readonly changed: number;
}

const UPDATE_MESSAGE = `UPDATE messages SET ${GROWING_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`;
const RETIRE_MESSAGE = "UPDATE messages SET active = 0, compacted = 0 WHERE id = ?";
const DELETE_USAGE = "DELETE FROM session_model_usage WHERE session_id = ?";

/** Sums that the source gives as a whole, so that a second import replaces them. */
const TOTALS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "api_call_count",
  "actual_cost_usd",
] as const;
const UPDATE_TOTALS = `UPDATE sessions SET ${TOTALS.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`;
const RECOUNT = `
  UPDATE sessions SET
    message_count = (SELECT COUNT(1) FROM messages WHERE session_id = sessions.id AND active = 1),
    tool_call_count = (
      SELECT COALESCE(SUM(json_array_length(tool_calls)), 0) FROM messages
      WHERE session_id = sessions.id AND active = 1 AND json_valid(tool_calls))
  WHERE id = ?`;

/**
 * Adds what a source holds beyond what was imported from it before, in the caller's transaction (POR-05).
 *
 * @returns Undefined when the session here is not the source's, and nothing was written.
 */
export function growSession(w: Writer, incoming: IncomingSession, columns: StoreColumns): GrownSession | undefined {
  const children = [...incoming.children];
  const growth = planGrowth(w, { ...incoming, children });
  if (!growth) return undefined;
  if (isEmptyGrowth(growth)) return { added: 0, changed: 0 };
  for (const { id, row } of growth.changed)
    w.run(UPDATE_MESSAGE, [...GROWING_COLUMNS.map((name) => plain(row[name])), id]);
  for (const id of growth.retired) w.run(RETIRE_MESSAGE, [id]);
  for (const row of growth.added) insertRow(w, columns, "message", { ...row, session_id: incoming.id });
  w.run(UPDATE_TOTALS, [...TOTALS.map((name) => plain(incoming.row[name])), incoming.id]);
  w.run(DELETE_USAGE, [incoming.id]);
  for (const { entity, row } of children) {
    if (entity === "usage") insertRow(w, columns, entity, { ...row, session_id: incoming.id });
  }
  w.run(RECOUNT, [incoming.id]);
  return { added: growth.added.length, changed: growth.changed.length + growth.retired.length };
}

/** As {@link growSession} would do it, without writing. */
export function growthOf(r: Reader, incoming: IncomingSession): GrownSession | undefined {
  const growth = planGrowth(r, incoming);
  return growth && { added: growth.added.length, changed: growth.changed.length + growth.retired.length };
}

function plain(cell: Cell | undefined): SqlValue {
  return cell instanceof RawText ? cell.bytes : (cell ?? null);
}
