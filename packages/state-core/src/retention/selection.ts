import type { Reader } from "@hermes/state-schema";
import { forkSql } from "../lineage/fork-sql.js";
import { NO_MOMENT, startedSql } from "../sessions/activity-sql.js";
import type { FilterSql } from "../sessions/list/conditions.js";
import { chunksOf } from "./chunks-of.js";
import { sessionsInUse } from "./sessions-in-use.js";

/** Sessions that a filter found and that stay all the same. */
export interface Spared {
  /** Not ended. */
  readonly open: number;
  /** Pinned, or the continuation of a pinned segment. */
  readonly pinned: number;
  /** A turn or a compaction of theirs is under way. */
  readonly inUse: number;
  /** A later segment of the conversation stays. */
  readonly continued: number;
}

/** What goes, and what was spared. */
export interface Selection {
  /** Oldest first. */
  readonly ids: readonly string[];
  readonly spared: Spared;
  /** The same ids, later segments of a conversation before earlier ones. */
  readonly lastFirst: readonly string[];
}

/** Which sessions to select, beyond the filter's condition. */
export interface Selector {
  readonly filter: FilterSql;
  readonly includePinned: boolean;
  readonly tipsOnly: boolean;
}

type Matched = readonly [id: string, open: number, pinned: number, compacted: number];
type Edge = readonly [parent: string, child: string];

const MATCHED = (where: string): string => `
  SELECT s.id, s.ended_at IS NULL, s.pinned <> 0, s.end_reason IS 'compression'
  FROM sessions AS s WHERE ${where}
  ORDER BY ${startedSql("s")} = ${String(NO_MOMENT)}, ${startedSql("s")}, s.id`;

const PINNED = `
  WITH RECURSIVE kept (id) AS (
    SELECT id FROM sessions WHERE pinned <> 0
    UNION
    SELECT child.id FROM kept
    JOIN sessions AS closed ON closed.id = kept.id AND closed.end_reason = 'compression'
    JOIN sessions AS child ON child.parent_session_id = closed.id
    WHERE NOT ${forkSql("child")}
  )
  SELECT id FROM kept`;

const CONTINUATIONS = `
  SELECT child.parent_session_id, child.id FROM json_each(?) AS wanted
  JOIN sessions AS child ON child.parent_session_id = wanted.value
  WHERE NOT ${forkSql("child")}`;

const WITHIN = "s.id IN (SELECT value FROM json_each(?))";

function readMatched(r: Reader, { where, params }: FilterSql, within: readonly string[] | undefined): Matched[] {
  if (!within) return r.tuples<Matched>(MATCHED(where), params);
  return r.tuples<Matched>(MATCHED(`${WITHIN} AND ${where}`), [JSON.stringify(within), ...params]);
}

function readContinuations(r: Reader, matched: readonly Matched[]): Edge[] {
  const compacted = matched.filter((row) => row[3] === 1).map((row) => row[0]);
  return chunksOf(compacted).flatMap((chunk) => r.tuples<Edge>(CONTINUATIONS, [JSON.stringify(chunk)]));
}

/** Why a session stays, as far as it can be told from itself. */
type Kept = "open" | "pinned" | "inUse";

/** Pinned sessions, and every later segment of their conversations. */
export function pinnedSessions(r: Reader): ReadonlySet<string> {
  return new Set(r.tuples<[string]>(PINNED).map(([id]) => id));
}

function keptBy(r: Reader, matched: readonly Matched[], includePinned: boolean, now: number): Map<string, Kept> {
  const pinned = includePinned ? undefined : pinnedSessions(r);
  const inUse = sessionsInUse(r, now);
  const kept = new Map<string, Kept>();
  for (const [id, open] of matched) {
    if (open === 1) kept.set(id, "open");
    else if (pinned?.has(id)) kept.set(id, "pinned");
    else if (inUse.has(id)) kept.set(id, "inUse");
  }
  return kept;
}

/** Edges by one of their ends. */
function grouped(edges: readonly Edge[], by: 0 | 1): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const edge of edges) {
    const group = groups.get(edge[by]);
    if (group) group.push(edge[1 - by] as string);
    else groups.set(edge[by], [edge[1 - by] as string]);
  }
  return groups;
}

/** Takes out every session that has a later segment which stays. A ring of segments goes as a whole. */
function dropContinued(going: Set<string>, edges: readonly Edge[]): number {
  const before = going.size;
  const earlier = grouped(edges, 1);
  const staying = new Set(edges.map(([, child]) => child).filter((child) => !going.has(child)));
  for (const id of staying) {
    for (const parent of earlier.get(id) ?? []) {
      if (going.delete(parent)) staying.add(parent);
    }
  }
  return before - going.size;
}

/** Later segments first; the rest keeps its order. */
function lastSegmentsFirst(ids: readonly string[], edges: readonly Edge[]): string[] {
  const later = grouped(edges, 0);
  const wanted = new Set(ids);
  const begun = new Set<string>();
  const ordered = new Set<string>();
  const stack = [...ids].reverse();
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const before = begun.has(id) ? [] : (later.get(id) ?? []).filter((next) => wanted.has(next) && !begun.has(next));
    begun.add(id);
    if (before.length > 0) stack.push(id, ...before);
    else ordered.add(id);
  }
  return [...ordered];
}

/**
 * Selects what goes (COR-33): ended sessions that the filter finds. Pinned ones stay with all that continues them, so
 * does whatever somebody works with, and an earlier segment of a conversation goes only with every later one.
 *
 * @param now - REAL seconds.
 * @param within - Only these.
 */
export function selectSessions(
  r: Reader,
  { filter, includePinned, tipsOnly }: Selector,
  now: number,
  within?: readonly string[],
): Selection {
  const found = readMatched(r, filter, within);
  const edges = readContinuations(r, found);
  const continued = new Set(edges.map(([parent]) => parent));
  const matched = tipsOnly ? found.filter(([id]) => !continued.has(id)) : found;
  const kept = keptBy(r, matched, includePinned, now);
  const going = new Set(matched.map(([id]) => id).filter((id) => !kept.has(id)));
  const left = dropContinued(going, edges);
  const reasons = [...kept.values()];
  const count = (reason: Kept): number => reasons.filter((value) => value === reason).length;
  const ids = [...going];
  return {
    ids,
    lastFirst: lastSegmentsFirst(ids, edges),
    spared: { open: count("open"), pinned: count("pinned"), inUse: count("inUse"), continued: left },
  };
}
