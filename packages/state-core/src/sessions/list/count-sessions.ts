import type { Reader } from "@hermes/state-schema";
import { filterSql } from "./filter-sql.js";
import type { SessionFilter } from "./session-filter.js";

/** How many sessions a listing with this filter has in all. */
export function countSessions(r: Reader, filter: SessionFilter): number {
  const { where, params } = filterSql(filter);
  return r.get<{ total: number }>(`SELECT COUNT(*) AS total FROM sessions AS s WHERE ${where}`, params)?.total ?? 0;
}

/** The same by source; a session without one counts as `cli`. */
export function countSessionsBySource(r: Reader, filter: SessionFilter): ReadonlyMap<string, number> {
  const { where, params } = filterSql(filter);
  const sql = `SELECT COALESCE(NULLIF(s.source, ''), 'cli') AS origin, COUNT(*) AS total
    FROM sessions AS s WHERE ${where} GROUP BY origin ORDER BY total DESC, origin`;
  return new Map(r.all<{ origin: string; total: number }>(sql, params).map((row) => [row.origin, row.total]));
}
