import type { Writer } from "@hermes/state-schema";
import { recountActive } from "../../compaction/active-rows.js";
import { sameMessageSql, visibleSql } from "../display/display-sql.js";
import { requireOpenSession } from "../require-open-session.js";
import { headOf } from "./rewind.js";

/** What a restore did. */
export interface RestoreReceipt {
  /** How many messages came back. */
  readonly restoredCount: number;
  /** The last message the model sees now; null when there is none. */
  readonly newHeadId: number | null;
}

const AFTER_COMPACTED = `
  EXISTS (SELECT 1 FROM messages AS old WHERE old.session_id = m.session_id AND old.id < m.id AND old.compacted = 1)`;

/**
 * What a later row repeats was not taken back: a compaction or a rewrite wrote it again. Where nothing was ever
 * compacted, equal hidden rows are a user's repetitions.
 */
const TAKEN_BACK = `
  SELECT m.id AS id FROM messages AS m
  WHERE m.session_id = ? AND m.id >= ? AND m.active = 0 AND COALESCE(m.compacted, 0) = 0
    AND NOT EXISTS (
      SELECT 1 FROM messages AS later
      WHERE ${sameMessageSql("later", "m")} AND later.id > m.id AND (${visibleSql("later")} OR ${AFTER_COMPACTED}))`;

const BRING_BACK = "UPDATE messages SET active = 1 WHERE id IN (SELECT value FROM json_each(?))";

/**
 * Brings rewound messages back, inside one transaction. Compacted ones are never revived, nor the originals of what a
 * compaction carried over: the model would see them twice (COR-27).
 *
 * @param now - REAL seconds.
 * @throws StateError `STATE_E_SESSION_NOT_FOUND`, `STATE_E_COMPRESSION_CLOSED`.
 */
export function restoreFrom(w: Writer, sessionId: string, messageId: number, now: number): RestoreReceipt {
  requireOpenSession(w, sessionId, now);
  const ids = w.all<{ id: number }>(TAKEN_BACK, [sessionId, messageId]).map((row) => row.id);
  if (ids.length > 0) {
    w.run(BRING_BACK, [JSON.stringify(ids)]);
    recountActive(w, sessionId);
  }
  return { restoredCount: ids.length, newHeadId: headOf(w, sessionId) };
}
