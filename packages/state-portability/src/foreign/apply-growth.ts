import type { SqlValue, Writer } from "@hermes/state-schema";
import type { IncomingSession } from "../import/import-reader.js";
import { insertMessages } from "../import/insert-messages.js";
import { insertRow } from "../import/insert-row.js";
import { recountSession } from "../import/recount-session.js";
import type { StoreColumns } from "../import/store-columns.js";
import { RawText } from "../rows/raw-row.js";
import type { Cell } from "../rows/raw-row.js";
import { GROWING_COLUMNS } from "./plan-growth.js";
import { uidPrefix } from "./stored-uid.js";
import type { Growth } from "./plan-growth.js";

const UPDATE_MESSAGE = `UPDATE messages SET ${GROWING_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`;
const RETIRE_MESSAGE = "UPDATE messages SET active = 0, compacted = 0 WHERE id = ?";
const RETIRE_SESSION = `UPDATE messages SET active = 0, compacted = 0
  WHERE session_id = ? AND instr(message_uid, ?) = 1 AND (active = 1 OR compacted = 1)`;
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

/** Adds what a source holds beyond what was imported from it before, in the caller's transaction (POR-05). */
export function applyGrowth(w: Writer, growth: Growth, incoming: IncomingSession, columns: StoreColumns): void {
  for (const { id, row } of growth.changed)
    w.run(UPDATE_MESSAGE, [...GROWING_COLUMNS.map((name) => plain(row[name])), id]);
  for (const id of growth.retired) w.run(RETIRE_MESSAGE, [id]);
  for (const id of growth.dissolved) dissolve(w, id, incoming);
  insertMessages(w, { count: growth.added.length }, () => {
    let highest = 0;
    for (const row of growth.added) highest = insertRow(w, columns, "message", { ...row, session_id: incoming.id });
    return highest;
  });
  w.run(UPDATE_TOTALS, [...TOTALS.map((name) => plain(incoming.row[name])), incoming.id]);
  w.run(DELETE_USAGE, [incoming.id]);
  for (const { entity, row } of incoming.children) {
    if (entity === "usage") insertRow(w, columns, entity, { ...row, session_id: incoming.id });
  }
  recountSession(w, incoming.id);
}

/** What was said in a branch after the import stays; what the source said is part of another session now. */
function dissolve(w: Writer, id: string, { row }: IncomingSession): void {
  const { source } = row;
  if (typeof source === "string") w.run(RETIRE_SESSION, [id, uidPrefix(source)]);
  w.run(UPDATE_TOTALS, [...TOTALS.map((name) => (name === "actual_cost_usd" ? null : 0)), id]);
  w.run(DELETE_USAGE, [id]);
  recountSession(w, id);
}

function plain(cell: Cell | undefined): SqlValue {
  return cell instanceof RawText ? cell.bytes : (cell ?? null);
}
