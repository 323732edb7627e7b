import { allSql, ALWAYS, type SqlCondition } from "../compile/sql-condition.js";
import type { PagePlace } from "../options/page-place.js";
import { judgeListed, type Match, type SearchScope } from "./candidates.js";
import { SECONDS } from "./filter-sql.js";
import { settledMoments, type Moment } from "./settled-moments.js";
import { beforeAll, type Direction, type NamedIds } from "./named-ids.js";

/** So many ids are put in order of time by looking at each. */
const FEW = 128;

/** Where in time a listing begins. */
export interface TimeOrder {
  readonly direction: Direction;
  readonly place: PagePlace;
}

/** Puts moments in order, and those of one moment in order of their ids. */
export function compareByTime(direction: Direction): (a: Moment, b: Moment) => number {
  const sign = direction === "ASC" ? 1 : -1;
  return (a, b) => sign * (a.seconds - b.seconds || a.id - b.id);
}

/** The messages on one side of a place in time, the place itself left out. */
export function besidePlace(sign: "<" | ">", { seconds, id }: Moment): SqlCondition {
  return { sql: `(${SECONDS} ${sign} ? OR (${SECONDS} = ? AND m.id ${sign} ?))`, params: [seconds, seconds, id] };
}

/** Everything behind the place where the page begins. */
export function behindPlace({ direction, place }: TimeOrder): SqlCondition {
  return place.type === "after" ? besidePlace(direction === "ASC" ? ">" : "<", place) : ALWAYS;
}

const LISTED = "json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value";

/** Listed messages that fulfil the filters and lie behind the place, in order of time. No body is read. */
function inTime(scope: SearchScope, ids: readonly number[], order: TimeOrder): readonly Moment[] {
  const condition = allSql([scope.filters, behindPlace(order)]);
  const sql = `
    SELECT m.id, ${SECONDS} FROM ${LISTED} LEFT JOIN sessions AS s ON s.id = m.session_id WHERE ${condition.sql}`;
  const rows = scope.r.tuples<[number, number]>(sql, [JSON.stringify(ids), ...condition.params]);
  return rows.map(([id, seconds]) => ({ id, seconds })).sort(compareByTime(order.direction));
}

const ASTRAY = {
  DESC: `SELECT 1 AS found FROM messages AS m WHERE m.id > ? AND ${SECONDS} < ? LIMIT 1`,
  ASC: `SELECT 1 AS found FROM messages AS m WHERE m.id < ? AND ${SECONDS} > ? LIMIT 1`,
} as const;

/** Where in the order of ids a page begins: at its place, unless what belongs behind it has an id before. */
function startOf(scope: SearchScope, { direction, place }: TimeOrder): number {
  if (place.type !== "after") return beforeAll(direction);
  const astray = scope.r.get(ASTRAY[direction], [place.id, place.seconds]) !== undefined;
  return astray ? beforeAll(direction) : place.id;
}

/**
 * Judges what indexes name in order of time, no more than the caller takes. Ids are given in order of time as a rule,
 * so that the last ids are looked at first; where they were not, all are put in order.
 *
 * @param wanted - How many the caller will hardly need more than.
 */
export function* judgeNamedByTime(
  scope: SearchScope,
  named: NamedIds,
  order: TimeOrder,
  wanted: number,
): Generator<Match> {
  const { direction } = order;
  const few = Math.max(FEW, 4 * wanted);
  const start = startOf(scope, order);
  const first = named.next(direction, start, few);
  const moments = inTime(scope, first, order);
  // What lies before the start belongs before the place.
  const all = first.length < few;
  const page = moments.slice(0, 2 * wanted + 16);
  const sure = all ? moments.length : settledMoments(scope.r, page, first.at(-1) ?? start, direction);
  const done = moments.slice(0, sure).map(({ id }) => id);
  yield* judgeListed(scope, done);
  if (all) return;
  const known = new Set(done);
  const others = named.next(direction, beforeAll(direction), Number.MAX_SAFE_INTEGER).filter((id) => !known.has(id));
  yield* judgeListed(
    scope,
    inTime(scope, others, order).map(({ id }) => id),
  );
}
