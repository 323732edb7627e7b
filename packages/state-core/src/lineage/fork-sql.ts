/**
 * Keys of `model_config` by which a child says that it left the conversation of its parent; the value is the parent's
 * id.
 */
export const FORK_MARKERS = ["_branched_from", "_delegate_from", "_reset_from"] as const;

/** One of {@link FORK_MARKERS}. */
export type ForkMarker = (typeof FORK_MARKERS)[number];

/**
 * SQL for the value of a marker, NULL where there is none or the config is no JSON.
 *
 * @param session - Alias of `sessions`.
 */
export function markerSql(session: string, marker: ForkMarker): string {
  const config = `${session}.model_config`;
  return `CASE WHEN json_valid(${config}) THEN json_extract(${config}, '$.${marker}') END`;
}

/**
 * SQL that is true for a child which carries a marker naming THIS parent. A continuation inherits the config of its
 * predecessor verbatim, so a marker that names another session is inherited and marks nothing (COR-26).
 *
 * @param session - Alias of `sessions`.
 */
export function markedSql(session: string, marker: ForkMarker): string {
  return `COALESCE(${markerSql(session, marker)} = ${session}.parent_session_id, 0)`;
}

/**
 * SQL that is true for a child that is no continuation of its parent: a branch, a delegate, a reset or a tool session.
 *
 * @param session - Alias of `sessions`.
 */
export function forkSql(session: string): string {
  const marked = FORK_MARKERS.map((marker) => markedSql(session, marker)).join(" OR ");
  return `(${session}.source = 'tool' OR (${session}.model_config IS NOT NULL AND (${marked})))`;
}
