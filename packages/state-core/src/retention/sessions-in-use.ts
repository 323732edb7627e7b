import type { Reader } from "@hermes/state-schema";
import { isReclaimable } from "../leases/acquire-lease.js";
import { listLeases } from "../leases/lease-rows.js";
import type { LeaseRow } from "../leases/lease.js";

/** A turn lease stands for the whole tree below its key, as conversations are keyed. */
const TREE = `
  WITH RECURSIVE tree (id) AS (
    SELECT ?
    UNION
    SELECT child.id FROM tree JOIN sessions AS child ON child.parent_session_id = tree.id
  )
  SELECT id FROM tree`;

/**
 * The sessions that somebody works with at the moment: a turn or a compaction of theirs is under way (COR-25).
 *
 * @param now - REAL seconds.
 * @returns Per session the lease that says so.
 */
export function sessionsInUse(r: Reader, now: number): ReadonlyMap<string, LeaseRow> {
  const inUse = new Map<string, LeaseRow>();
  const live = (row: LeaseRow): boolean => !isReclaimable(row, now);
  for (const row of listLeases(r, "compression").filter(live)) inUse.set(row.key, row);
  for (const row of listLeases(r, "turn").filter(live)) {
    for (const { id } of r.all<{ id: string }>(TREE, [row.key])) inUse.set(id, row);
  }
  return inUse;
}
