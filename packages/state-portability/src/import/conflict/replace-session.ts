import type { Writer } from "@hermes/state-schema";
import { CHILD_TABLES, RUNTIME_COLUMNS } from "../../rows/entities.js";
import { quoteName } from "../../rows/quote-name.js";
import { RawText } from "../../rows/raw-row.js";
import type { IncomingSession } from "../import-reader.js";
import { insertChildren, sessionRow } from "../insert-session.js";
import type { InsertedSession, InsertPolicy } from "../insert-session.js";

const CLEAR_TITLE = "UPDATE sessions SET title = NULL WHERE id = ?";

/**
 * Puts what comes in in the place of the session that is here, in the caller's transaction. Routes, hand-offs and other
 * state of a running program stay with the id; so do the sessions that hang on it.
 */
export function replaceSession(w: Writer, incoming: IncomingSession, policy: InsertPolicy): InsertedSession {
  // Its own title must not count as taken.
  w.run(CLEAR_TITLE, [incoming.id]);
  const { row, renamed } = sessionRow(w, incoming);
  for (const { entity, table } of CHILD_TABLES) {
    if (policy.columns[entity]) w.run(`DELETE FROM ${table} WHERE session_id = ?`, [incoming.id]);
  }
  const known = policy.columns.session;
  const cells = Object.entries(row).filter(([name]) => known?.has(name) && !RUNTIME_COLUMNS.has(name));
  const sets = cells.map(([name, cell]) => `${quoteName(name)} = ${cell instanceof RawText ? "CAST(? AS TEXT)" : "?"}`);
  w.run(`UPDATE sessions SET ${sets.join(", ")} WHERE id = ?`, [
    ...cells.map(([, cell]) => (cell instanceof RawText ? cell.bytes : cell)),
    incoming.id,
  ]);
  return { ...insertChildren(w, incoming, { ...policy, keepIds: false }), renamed };
}
