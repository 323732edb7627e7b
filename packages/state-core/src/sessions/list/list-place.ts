import type { SqlValue } from "@hermes/state-schema";
import { decodeCursor, encodeCursor } from "../../codec/cursor.js";
import { SECONDS_LIMIT } from "../../codec/seconds.js";
import { NO_MOMENT, startedSql } from "../activity-sql.js";
import type { FilterSql } from "./conditions.js";
import { ACTIVITY } from "./filter-sql.js";

/** How a listing is ordered. */
export type ListOrder = "started" | "active";

/** Where a row stands in a listing. Moments that cannot be read are {@link NO_MOMENT}, which sorts last. */
export interface ListPlace {
  readonly id: string;
  /** Activity of the whole conversation; the start when the order is `started`. */
  readonly moment: number;
  readonly started: number;
}

/** A statement and its parameters. */
export interface Query {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Which stretch of an order to read. */
export interface Stretch {
  readonly after: ListPlace | undefined;
  readonly limit: number;
  readonly offset: number;
}

const SANE = `s.started_at >= 0 AND s.started_at < ${String(SECONDS_LIMIT)}`;

/** The complement of {@link SANE} as the engine orders values: text and bytes come after every number. */
const NOT_SANE = `(s.started_at < 0 OR s.started_at >= ${String(SECONDS_LIMIT)})`;

/**
 * Rows in the order of activity. One index seek per matching session and segment; the moment is computed once per row.
 */
export function activePlaces({ where, params }: FilterSql, { after, limit, offset }: Stretch): Query {
  const beyond = after ? "WHERE (moment, started, id) < (?, ?, ?)" : "";
  return {
    sql: `
  WITH places AS MATERIALIZED (
    SELECT s.id AS id, ${ACTIVITY} AS moment, ${startedSql("s")} AS started FROM sessions AS s WHERE ${where}
  )
  SELECT id, moment, started FROM places ${beyond} ORDER BY moment DESC, started DESC, id DESC LIMIT ? OFFSET ?`,
    params: [...params, ...(after ? [after.moment, after.started, after.id] : []), limit, offset],
  };
}

/** Rows with a readable start, newest first, along the index on it. */
export function startedPlaces({ where, params }: FilterSql, { after, limit, offset }: Stretch): Query {
  const beyond = after ? "AND s.started_at <= ? AND (s.started_at < ? OR s.id < ?)" : "";
  return {
    sql: `
  SELECT s.id AS id, s.started_at AS moment, s.started_at AS started FROM sessions AS s
  WHERE ${SANE} AND ${where} ${beyond} ORDER BY s.started_at DESC, s.id DESC LIMIT ? OFFSET ?`,
    params: [...params, ...(after ? [after.started, after.started, after.id] : []), limit, offset],
  };
}

/** Rows whose start cannot be read: they follow all others. */
export function unreadableStarts({ where, params }: FilterSql, { after, limit, offset }: Stretch): Query {
  const none = String(NO_MOMENT);
  return {
    sql: `
  SELECT s.id AS id, ${none} AS moment, ${none} AS started FROM sessions AS s
  WHERE ${NOT_SANE} AND ${where} ${after ? "AND s.id < ?" : ""} ORDER BY s.id DESC LIMIT ? OFFSET ?`,
    params: [...params, ...(after ? [after.id] : []), limit, offset],
  };
}

/** How many rows {@link startedPlaces} has in all. */
export function countStarted({ where, params }: FilterSql): Query {
  return { sql: `SELECT COUNT(*) AS total FROM sessions AS s WHERE ${SANE} AND ${where}`, params };
}

/** Packs a place into a cursor; it says which order it belongs to. */
export function placeCursor(order: ListOrder, place: ListPlace): string {
  return encodeCursor(order, [place.moment, place.started, place.id]);
}

/**
 * Unpacks a cursor.
 *
 * @throws StateError `STATE_E_BAD_CURSOR`, also for a cursor of the other order.
 */
export function placeOf(what: string, order: ListOrder, cursor: string): ListPlace {
  const [moment, started, id] = decodeCursor(what, order, cursor, ["number", "number", "string"]);
  return { id: id as string, moment: moment as number, started: started as number };
}
