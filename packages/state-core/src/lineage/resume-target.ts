import type { Reader } from "@hermes/state-schema";
import { startedSql } from "../sessions/activity-sql.js";
import { forkSql } from "./fork-sql.js";
import { MAX_HOPS, tipOf } from "./walk-continuations.js";

const NEWEST_CHILD = `
  SELECT child.id AS id, EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = child.id) AS spoken
  FROM sessions AS child
  WHERE child.parent_session_id = ? AND NOT ${forkSql("child")}
  ORDER BY ${startedSql("child")} DESC, child.id DESC LIMIT 1`;

/**
 * Where a resume of a session lands: its tip, then down the newest children that carry no marker, to the deepest one
 * that has messages; the tip when none has.
 */
export function resumeTargetOf(r: Reader, id: string): string {
  let target = tipOf(r, id);
  const seen = new Set([target]);
  for (let at = target; seen.size <= MAX_HOPS; ) {
    const child = r.get<{ id: string; spoken: number }>(NEWEST_CHILD, [at]);
    if (!child || seen.has(child.id)) break;
    seen.add(child.id);
    at = child.id;
    if (child.spoken === 1) target = child.id;
  }
  return target;
}
