import type { Reader } from "@hermes/state-schema";
import { SECONDS_LIMIT } from "../../codec/seconds.js";
import { forkSql } from "../../lineage/fork-sql.js";
import type { FilterSql } from "./conditions.js";
import { activePlaces } from "./list-place.js";
import type { ListPlace, Stretch } from "./list-place.js";
import type { Moment, MomentOrder } from "./moment-order.js";
import type { NewestMessages } from "./newest-messages.js";

/** Spelt as the index on it is. */
const TOUCHED = "COALESCE(s.last_activity_at, s.started_at)";

const BY_TOUCH = `
  SELECT s.id AS id, ${TOUCHED} AS moment FROM sessions AS s
  WHERE ${TOUCHED} <= ? AND ${TOUCHED} >= 0 ORDER BY ${TOUCHED} DESC LIMIT ?`;

/** Text and bytes come after every number. */
const ODD_TOUCHES = `
  SELECT s.id AS id FROM sessions AS s WHERE ${TOUCHED} >= ${String(SECONDS_LIMIT)}
  UNION ALL
  SELECT s.id AS id FROM sessions AS s WHERE ${TOUCHED} < 0
  LIMIT ?`;

/** The candidates, and the conversations that they are later segments of. */
const REACHED = `
  WITH RECURSIVE reached (id) AS (
    SELECT value FROM json_each(?)
    UNION
    SELECT parent.id FROM reached
    JOIN sessions AS child ON child.id = reached.id
    JOIN sessions AS parent ON parent.id = child.parent_session_id AND parent.end_reason = 'compression'
    WHERE NOT ${forkSql("child")}
  )
  SELECT id FROM reached`;

/** Candidates to begin with, at least. */
const FIRST_ROUND = 64;

/** More candidates than places are needed, since the two orders overlap only in part. */
const SPARE = 1.25;

/** How far a further round goes beyond the one before, as the filter let places through. */
const LEAST_GROWTH = 1.5;
const MOST_GROWTH = 16;

/** From here on the whole computation is the cheaper way. */
const MOST_CANDIDATES = 1_024;

const MOST_ODD = 256;

/** Later than no moment of a session. */
const NOTHING = Number.NEGATIVE_INFINITY;

function among({ where, params }: FilterSql, ids: readonly string[]): FilterSql {
  return { where: `s.id IN (${REACHED}) AND ${where}`, params: [JSON.stringify(ids), ...params] };
}

/** What may be on a page, and the moment that no session left out can be later than. */
interface Candidates {
  readonly ids: readonly string[];
  readonly unseen: number;
}

/** The first `count` sessions by their newest message and the first by their touch, from the page's place on. */
function takeCandidates(r: Reader, order: MomentOrder, from: number, latest: number, count: number): Candidates {
  const spoke = order.slice(from, from + count + 1);
  const touched = r.all<Moment & object>(BY_TOUCH, [latest, count + 1]);
  return {
    ids: [...spoke.slice(0, count), ...touched.slice(0, count)].map((entry) => entry.id),
    unseen: Math.max(spoke[count]?.moment ?? NOTHING, touched[count]?.moment ?? NOTHING),
  };
}

/**
 * Reads a stretch of the order by activity without asking every session (P24). No session is later active than both
 * its touch (the heartbeat, else the start) and its newest message; so candidates are taken from the top of both
 * orders, their true places are computed as for any session, and the page stands once its last place beats whatever
 * was left out. Sessions whose touch is no moment are candidates always.
 *
 * @param first - Candidates to begin with, at least.
 * @returns Undefined where that cannot be shown with few candidates: then compute the places of all sessions.
 */
export function findActivePage(
  r: Reader,
  filter: FilterSql,
  stretch: Stretch,
  newest: NewestMessages,
  first: number = FIRST_ROUND,
): ListPlace[] | undefined {
  const odd = r.all<{ id: string }>(ODD_TOUCHES, [MOST_ODD + 1]).map((row) => row.id);
  if (odd.length > MOST_ODD) return undefined;
  const { after, offset, limit } = stretch;
  const { order, exact } = newest.read(r);
  const latest = after?.moment ?? SECONDS_LIMIT;
  // Where messages may have been deleted, a session could stand lower than it is remembered: look at all above, too.
  const above = order.countAfter(latest);
  const from = exact ? above : 0;
  const needed = above - from + offset + limit;
  let count = Math.max(first, Math.ceil(needed * SPARE));
  while (count <= MOST_CANDIDATES) {
    const { ids, unseen } = takeCandidates(r, order, from, latest, count);
    const { sql, params } = activePlaces(among(filter, [...new Set([...odd, ...ids])]), stretch);
    const places = r.all<ListPlace>(sql, params);
    const last = places.at(-1);
    if (unseen === NOTHING || (places.length === limit && last && last.moment > unseen)) return places;
    const growth = (limit / places.length) * SPARE;
    if (growth > MOST_GROWTH) return undefined;
    count = Math.ceil(count * Math.max(growth, LEAST_GROWTH));
  }
  return undefined;
}
