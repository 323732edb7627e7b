import type { Reader } from "@hermes/state-schema";
import { checkChoice } from "../../codec/check-choice.js";
import { checkLimit } from "../../codec/check-limit.js";
import { checkListOptions } from "./check-filter.js";
import { describeSessions } from "./describe-sessions.js";
import type { FilterSql } from "./conditions.js";
import { filterSql } from "./filter-sql.js";
import { activePlaces, countStarted, placeCursor, placeOf, startedPlaces, unreadableStarts } from "./list-place.js";
import type { ListOrder, ListPlace, Query, Stretch } from "./list-place.js";
import { NO_MOMENT } from "../activity-sql.js";
import { findActivePage } from "./active-page.js";
import type { NewestMessages } from "./newest-messages.js";
import type { SessionListOptions } from "./session-filter.js";
import type { SessionPage } from "./session-summary.js";

const WHAT = "sessions.list";
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

function run(r: Reader, { sql, params }: Query): ListPlace[] {
  return r.all<ListPlace>(sql, params);
}

/** Reads on in the rows without a readable start, once those with one are used up. */
function readUnreadable(r: Reader, filter: FilterSql, stretch: Stretch, found: readonly ListPlace[]): ListPlace[] {
  const limit = stretch.limit - found.length;
  const inside = stretch.after?.started === NO_MOMENT ? stretch.after : undefined;
  let offset = 0;
  if (stretch.offset > 0 && found.length === 0) {
    const { sql, params } = countStarted(filter);
    offset = stretch.offset - (r.get<{ total: number }>(sql, params)?.total ?? 0);
  }
  return run(r, unreadableStarts(filter, { after: inside, limit, offset }));
}

function readStarted(r: Reader, filter: FilterSql, stretch: Stretch): ListPlace[] {
  const found = stretch.after?.started === NO_MOMENT ? [] : run(r, startedPlaces(filter, stretch));
  return found.length >= stretch.limit ? found : [...found, ...readUnreadable(r, filter, stretch, found)];
}

function readPlaces(r: Reader, order: ListOrder, filter: FilterSql, stretch: Stretch): ListPlace[] {
  return order === "active" ? run(r, activePlaces(filter, stretch)) : readStarted(r, filter, stretch);
}

function readPinned(r: Reader, order: ListOrder, filter: FilterSql, page: readonly ListPlace[]): ListPlace[] {
  const shown = new Set(page.map((place) => place.id));
  const pinned = { where: `s.pinned <> 0 AND ${filter.where}`, params: filter.params };
  const stretch = { after: undefined, limit: MAX_LIMIT, offset: 0 };
  return readPlaces(r, order, pinned, stretch).filter((place) => !shown.has(place.id));
}

function checkOffset(options: SessionListOptions): number {
  const { offset = 0, cursor } = options;
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new RangeError(`${WHAT}: offset must be a whole number, 0 or more, not ${String(offset)}.`);
  }
  if (offset > 0 && cursor !== undefined) throw new TypeError(`${WHAT}: pass an offset or a cursor, not both.`);
  return offset;
}

/**
 * Reads one page of the listing (COR-31). Its time depends on the sessions, not on how many messages they have (P24).
 *
 * @param newest - What listings of the store remember between them.
 * @throws TypeError, RangeError for bad options. StateError `STATE_E_BAD_CURSOR`.
 */
export function listSessions(r: Reader, options: SessionListOptions, newest: NewestMessages): SessionPage {
  checkListOptions(WHAT, options);
  const order = checkChoice(`${WHAT}: order`, options.order ?? "started", ["started", "active"]);
  const limit = checkLimit(WHAT, options.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const offset = checkOffset(options);
  const after = options.cursor === undefined ? undefined : placeOf(WHAT, order, options.cursor);
  const filter = filterSql(options);
  const stretch = { after, limit: limit + 1, offset };
  const near = order === "active" ? findActivePage(r, filter, stretch, newest) : undefined;
  const places = near ?? readPlaces(r, order, filter, stretch);
  const page = places.slice(0, limit);
  const last = places.length > limit ? page.at(-1) : undefined;
  if (options.includePinned && !after) page.push(...readPinned(r, order, filter, page));
  const ids = page.map((place) => place.id);
  return {
    sessions: describeSessions(r, ids, !options.includeChildren && options.projectTips !== false),
    nextCursor: last && placeCursor(order, last),
  };
}
