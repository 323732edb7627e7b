import type { Writer } from "@hermes/state-schema";
import { decodeModelConfig, encodeModelConfig, mergeModelConfig } from "../codec/model-config.js";
import { saneSecondsSql } from "../codec/seconds.js";
import { forkSql } from "../lineage/fork-sql.js";
import { BOUNDARY_END_REASONS } from "./end-reasons.js";

const UNMARKED_RESETS = `
  SELECT child.id AS id, child.model_config AS config
  FROM sessions AS parent JOIN sessions AS child ON child.parent_session_id = parent.id
  WHERE parent.id = ? AND parent.end_reason IN (SELECT value FROM json_each(?))
    AND ${saneSecondsSql("child.started_at")} >= ${saneSecondsSql("parent.ended_at")} AND NOT ${forkSql("child")}`;

const SET_CONFIG = "UPDATE sessions SET model_config = ? WHERE id = ?";

const REOPEN = "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ? AND ended_at IS NOT NULL";

/** Writes down what only the parent's end said: that these children began anew. */
function markResets(w: Writer, sessionId: string): void {
  const reasons = JSON.stringify([...BOUNDARY_END_REASONS]);
  for (const child of w.all<{ id: string; config: string | null }>(UNMARKED_RESETS, [sessionId, reasons])) {
    const config = mergeModelConfig(decodeModelConfig(child.config), { _reset_from: sessionId });
    w.run(SET_CONFIG, [encodeModelConfig(config), child.id]);
  }
}

/**
 * Reopens an ended session. Children that a reset left unmarked are marked first, since the parent will not tell any
 * more.
 *
 * @returns Whether it had ended.
 */
export function reopenSession(w: Writer, sessionId: string): boolean {
  markResets(w, sessionId);
  return w.run(REOPEN, [sessionId]).changes > 0;
}
