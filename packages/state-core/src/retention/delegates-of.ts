import type { Reader, SqlValue } from "@hermes/state-schema";
import { markerSql } from "../lineage/fork-sql.js";

/**
 * Every session with a delegate's marker: whose delegate it is, and whether it merely inherited that from the segment
 * it continues.
 */
const DELEGATES = `
  SELECT s.id, ${markerSql("s", "_delegate_from")} AS marker, s.parent_session_id, parent.end_reason IS 'compression'
  FROM sessions AS s LEFT JOIN sessions AS parent ON parent.id = s.parent_session_id
  WHERE instr(s.model_config, '_delegate_from') > 0 AND marker IS NOT NULL`;

type Delegate = readonly [id: string, marker: SqlValue, parent: string | null, afterCompression: number];

function ownersOf([, marker, parent, afterCompression]: Delegate): SqlValue[] {
  // The next segment of a compacted delegate names the same owner as that; it is no delegate of its predecessor.
  return parent !== null && afterCompression === 0 ? [marker, parent] : [marker];
}

/**
 * The delegates of sessions, their delegates in turn, and so on: marked children, and whatever names its owner in the
 * marker alone. A ring of delegates ends, and never leads back to the sessions themselves.
 *
 * @returns Sorted by id, without the sessions.
 */
export function delegatesOf(r: Reader, sessionIds: readonly string[]): string[] {
  const owned = new Map<SqlValue, string[]>();
  for (const row of r.tuples<Delegate>(DELEGATES)) {
    for (const owner of ownersOf(row)) owned.set(owner, [...(owned.get(owner) ?? []), row[0]]);
  }
  const seen = new Set(sessionIds);
  for (const id of seen) for (const delegate of owned.get(id) ?? []) seen.add(delegate);
  for (const id of sessionIds) seen.delete(id);
  return [...seen].sort();
}
