import type { Writer } from "@hermes/state-schema";
import { activitySql } from "../sessions/activity-sql.js";
import { forkSql } from "./fork-sql.js";

/** A continuation that nobody worked in: no call was made, and its last sign of life is long ago. */
const ORPHANS = `
  SELECT child.id AS id
  FROM sessions AS parent JOIN sessions AS child ON child.parent_session_id = parent.id
  WHERE parent.end_reason = 'compression' AND child.ended_at IS NULL AND COALESCE(child.api_call_count, 0) = 0
    AND NOT ${forkSql("child")}
    AND EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = child.id)
    AND ${activitySql("child")} BETWEEN 0 AND ?
  ORDER BY child.id`;

const FINALIZE = `
  UPDATE sessions SET ended_at = ?, end_reason = 'orphaned_compression'
  WHERE id IN (SELECT value FROM json_each(?))`;

/**
 * Ends the continuations that a compaction made and nobody went on with.
 *
 * @param before - Last sign of life, in REAL seconds, of the newest one to end.
 * @param now - REAL seconds.
 * @returns Their ids.
 */
export function finalizeOrphans(w: Writer, before: number, now: number): readonly string[] {
  const ids = w.all<{ id: string }>(ORPHANS, [before]).map((orphan) => orphan.id);
  if (ids.length > 0) w.run(FINALIZE, [now, JSON.stringify(ids)]);
  return ids;
}
