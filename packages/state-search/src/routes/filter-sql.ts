import { saneSecondsSql, segmentsBefore, walkContinuations } from "@hermes/state-core";
import type { Reader, SqlValue } from "@hermes/state-schema";
import { allSql, type SqlCondition } from "../compile/sql-condition.js";
import type { SearchRequest } from "../options/read-options.js";

type Filters = SearchRequest["filters"];

/** When a message was said; a cell that holds no moment counts as before all others, so that it cannot lead a list. */
export const SECONDS: string = `COALESCE(${saneSecondsSql("m.timestamp")}, -1)`;

const ACTIVE = "(COALESCE(m.active, 1) = 1 OR m.compacted = 1)";
const NOT_HIDDEN = "m.display_kind IS NOT 'hidden'";

/**
 * Which messages a search shows at all, as a condition on `messages AS m`: rewound rows only on request, rows that
 * compaction archived always, hidden rows never (SEA-04).
 */
export function visibleSql(includeInactive: boolean): string {
  return includeInactive ? NOT_HIDDEN : `${ACTIVE} AND ${NOT_HIDDEN}`;
}

function listed(column: string, values: readonly string[]): SqlCondition {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, params: [JSON.stringify(values)] };
}

function notListed(column: string, values: readonly string[]): SqlCondition {
  return { sql: `COALESCE(${column} NOT IN (SELECT value FROM json_each(?)), 1)`, params: [JSON.stringify(values)] };
}

/** All segments of the conversations that sessions belong to (P09). */
function withLineages(r: Reader, sessions: readonly string[]): readonly string[] {
  const ids = new Set(sessions);
  for (const id of sessions) for (const segment of segmentsBefore(r, id)) ids.add(segment);
  for (const chain of walkContinuations(r, sessions).values()) for (const segment of chain) ids.add(segment);
  return [...ids];
}

function condition(sql: string, ...params: SqlValue[]): SqlCondition {
  return { sql, params };
}

/** Compiles filters and visibility to a condition on `messages AS m` and `sessions AS s` (SEA-04). */
export function filterSql(r: Reader, filters: Filters): SqlCondition {
  const { roles, sources, excludeSources, sessions, excludeSessions, sinceSeconds, untilSeconds } = filters;
  return allSql([
    ...(roles ? [listed("m.role", roles)] : []),
    ...(sessions ? [listed("m.session_id", sessions)] : []),
    ...(excludeSessions?.length ? [notListed("m.session_id", withLineages(r, excludeSessions))] : []),
    ...(sources ? [listed("s.source", sources)] : []),
    ...(excludeSources?.length ? [notListed("s.source", excludeSources)] : []),
    condition(visibleSql(filters.includeInactive)),
    ...(sinceSeconds !== undefined ? [condition(`${SECONDS} >= ?`, sinceSeconds)] : []),
    ...(untilSeconds !== undefined ? [condition(`${SECONDS} < ?`, untilSeconds)] : []),
  ]);
}
