import { SECONDS_LIMIT } from "@hermes/state-core";
import type { Reader } from "@hermes/state-schema";
import { SECONDS } from "./filter-sql.js";
import type { Direction } from "./named-ids.js";

/** A message and when it was said. */
export interface Moment {
  readonly id: number;
  readonly seconds: number;
}

const INDEX = "idx_messages_session";
const HAS_INDEX = `SELECT 1 AS found FROM sqlite_master WHERE type = 'index' AND name = '${INDEX}'`;

/** Every session that has messages, one step of the index each. */
const SESSIONS = `
  WITH RECURSIVE session (id) AS (
    SELECT MIN(session_id) FROM messages
    UNION ALL
    SELECT (SELECT MIN(m.session_id) FROM messages AS m WHERE m.session_id > session.id)
    FROM session WHERE session.id IS NOT NULL
  )`;

const IN_SESSION = `session CROSS JOIN messages AS m INDEXED BY ${INDEX} ON m.session_id = session.id`;

/** What is later than a moment though its id is lower: few rows of a session are newer than a page of newest ones. */
const LATEST_BELOW = `${SESSIONS}
  SELECT MAX(${SECONDS}) AS seconds FROM ${IN_SESSION} WHERE m.timestamp > ? AND m.id < ?`;

/** The same for the other order; a cell that holds no moment counts as before all others. */
const EARLIEST_ABOVE = `${SESSIONS}
  SELECT MIN(seconds) AS seconds FROM (
    SELECT ${SECONDS} AS seconds FROM ${IN_SESSION} WHERE m.timestamp < ? AND m.id > ?
    UNION ALL
    SELECT ${SECONDS} FROM ${IN_SESSION} WHERE m.timestamp >= ${SECONDS_LIMIT} AND m.id > ?
  )`;

/**
 * How many of the first moments of an order come before every message whose id lies behind.
 *
 * @param moments - In order of time.
 * @param behind - Messages with lower ids lie behind it, with higher ones for the order from oldest to newest.
 */
export function settledMoments(r: Reader, moments: readonly Moment[], behind: number, direction: Direction): number {
  const last = moments.at(-1);
  if (last === undefined || r.get(HAS_INDEX) === undefined) return 0;
  const sql = direction === "DESC" ? LATEST_BELOW : EARLIEST_ABOVE;
  const params = direction === "DESC" ? [last.seconds, behind] : [last.seconds, behind, behind];
  const bound = r.get<{ seconds: number | null }>(sql, params)?.seconds ?? null;
  if (bound === null) return moments.length;
  const first = moments.findIndex(({ seconds }) => (direction === "DESC" ? seconds < bound : seconds > bound));
  return first === -1 ? moments.length : first;
}
