import { saneSecondsSql, SECONDS_LIMIT } from "../codec/seconds.js";

/** Key of an order by time for a row whose moments are all unreadable: it sorts last. */
export const NO_MOMENT = -1;

/**
 * SQL for a session's start as an order key: its moment, or {@link NO_MOMENT} where the cell holds none.
 *
 * @param session - Alias of `sessions`.
 */
export function startedSql(session: string): string {
  return `COALESCE(${saneSecondsSql(`${session}.started_at`)}, ${String(NO_MOMENT)})`;
}

/**
 * SQL for the moment of a session's newest message, NULL without one; text and absurd numbers are none (P28). One index
 * seek, however many messages the session has (P24).
 *
 * @param sessionId - Expression for the id of the session.
 */
export function newestMessageSql(sessionId: string): string {
  return `(SELECT newest.timestamp FROM messages AS newest
      WHERE newest.session_id = ${sessionId} AND newest.timestamp >= 0 AND newest.timestamp < ${String(SECONDS_LIMIT)}
      ORDER BY newest.timestamp DESC LIMIT 1)`;
}

/**
 * SQL for the later of a session's heartbeat and its newest message, NULL without either. Absurd and textual moments do
 * not count (P28). One index seek per session, however many messages it has (P24).
 *
 * @param session - Alias of `sessions`.
 */
export function lastActiveSql(session: string): string {
  const heartbeat = `COALESCE(${saneSecondsSql(`${session}.last_activity_at`)}, ${String(NO_MOMENT)})`;
  const newest = `COALESCE(${newestMessageSql(`${session}.id`)}, ${String(NO_MOMENT)})`;
  return `NULLIF(MAX(${heartbeat}, ${newest}), ${String(NO_MOMENT)})`;
}

/**
 * SQL for the moment a session was last active: as {@link lastActiveSql}, else its start.
 *
 * @param session - Alias of `sessions`.
 */
export function activitySql(session: string): string {
  return `COALESCE(${lastActiveSql(session)}, ${startedSql(session)})`;
}
