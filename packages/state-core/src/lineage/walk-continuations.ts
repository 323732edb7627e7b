import type { Reader } from "@hermes/state-schema";
import { activitySql, startedSql } from "../sessions/activity-sql.js";
import { forkSql } from "./fork-sql.js";

/** How far a walk along a lineage goes. */
export const MAX_HOPS = 1_000;

/**
 * Every continuation of the wanted sessions, the one to follow first: itself compacted, then live, then the freshest.
 */
const CONTINUATIONS = `
  SELECT parent.id AS parent, child.id AS id
  FROM json_each(?) AS wanted
  JOIN sessions AS parent ON parent.id = wanted.value AND parent.end_reason = 'compression'
  JOIN sessions AS child ON child.parent_session_id = parent.id
  WHERE NOT ${forkSql("child")}
  ORDER BY child.end_reason IS 'compression' DESC, child.ended_at IS NULL DESC,
    ${activitySql("child")} DESC, ${startedSql("child")} DESC, child.id DESC`;

function nextHops(r: Reader, ids: readonly string[]): Map<string, string> {
  const next = new Map<string, string>();
  for (const { parent, id } of r.all<{ parent: string; id: string }>(CONTINUATIONS, [JSON.stringify(ids)])) {
    if (!next.has(parent)) next.set(parent, id);
  }
  return next;
}

/**
 * Follows conversations forward through the compactions that rotated them, all of them one hop per query.
 *
 * @param ids - Where to start; repeated and unknown ids are allowed.
 * @returns Per start the ids from it to its tip, both included; a session that nothing continues is its own tip.
 * Cycle-safe, at most 1,000 hops (COR-26).
 */
export function walkContinuations(r: Reader, ids: Iterable<string>): Map<string, readonly string[]> {
  const chains = new Map<string, Set<string>>();
  for (const id of ids) chains.set(id, new Set([id]));
  let moving = new Map([...chains.keys()].map((id) => [id, id]));
  for (let hop = 0; hop < MAX_HOPS && moving.size > 0; hop++) {
    const next = nextHops(r, [...new Set(moving.values())]);
    const moved = new Map<string, string>();
    for (const [start, at] of moving) {
      const to = next.get(at);
      const chain = chains.get(start);
      if (to === undefined || chain === undefined || chain.has(to)) continue;
      chain.add(to);
      moved.set(start, to);
    }
    moving = moved;
  }
  return new Map([...chains].map(([start, chain]) => [start, [...chain]]));
}

/** The id a conversation goes on under, or the given one when nothing continues it. */
export function tipOf(r: Reader, id: string): string {
  return walkContinuations(r, [id]).get(id)?.at(-1) ?? id;
}
