import type { Reader } from "@hermes/state-schema";
import { forkSql } from "./fork-sql.js";
import { MAX_HOPS } from "./walk-continuations.js";

/** One session on the way up from a session to its root. */
export interface AncestorStep {
  readonly id: string;
  /** True when this session continues its parent: the parent was closed by compression and this is no fork of it. */
  readonly continues: boolean;
}

const ANCESTORS = `
  WITH RECURSIVE up (id, parent, hop) AS (
    SELECT id, parent_session_id, 0 FROM sessions WHERE id = ?
    UNION ALL
    SELECT above.id, above.parent_session_id, up.hop + 1
    FROM up JOIN sessions AS above ON above.id = up.parent
    WHERE up.hop < ${String(MAX_HOPS)}
  )
  SELECT up.id AS id, COALESCE(parent.end_reason = 'compression', 0) AND NOT ${forkSql("self")} AS continues
  FROM up JOIN sessions AS self ON self.id = up.id LEFT JOIN sessions AS parent ON parent.id = up.parent
  ORDER BY up.hop`;

/**
 * Walks from a session through all its parents, forks included, to the root of its tree.
 *
 * @returns The session itself first; empty when it does not exist. Cycle-safe, at most 1,000 hops.
 */
export function walkAncestors(r: Reader, id: string): readonly AncestorStep[] {
  const steps = new Map<string, AncestorStep>();
  for (const row of r.all<{ id: string; continues: number }>(ANCESTORS, [id])) {
    if (steps.has(row.id)) break;
    steps.set(row.id, { id: row.id, continues: row.continues === 1 });
  }
  return [...steps.values()];
}

/**
 * The earlier segments of a conversation: the sessions that this one continues through compactions.
 *
 * @returns The root of the conversation first, the session itself last; empty when it does not exist.
 */
export function segmentsBefore(r: Reader, id: string): readonly string[] {
  const segments: string[] = [];
  for (const step of walkAncestors(r, id)) {
    segments.unshift(step.id);
    if (!step.continues) break;
  }
  return segments;
}
