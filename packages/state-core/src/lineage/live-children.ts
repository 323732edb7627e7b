import type { Reader } from "@hermes/state-schema";
import { forkSql } from "./fork-sql.js";

/** Two are enough to know that there is more than one. */
const LIVE_CHILDREN = `
  SELECT child.id AS id
  FROM sessions AS parent JOIN sessions AS child ON child.parent_session_id = parent.id
  WHERE parent.id = ? AND parent.end_reason = 'compression' AND child.ended_at IS NULL AND NOT ${forkSql("child")}
  ORDER BY child.id LIMIT 2`;

/**
 * The live sessions that continue one which a compaction closed; two at most.
 */
export function liveChildren(r: Reader, parentId: string): readonly string[] {
  return r.all<{ id: string }>(LIVE_CHILDREN, [parentId]).map((child) => child.id);
}
