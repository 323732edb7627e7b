import type { SqlCondition } from "../compile/sql-condition.js";
import type { IndexQuestion } from "../plan/plan-search.js";
import type { SearchScope } from "./candidates.js";

function joined(table: string, condition: SqlCondition): string {
  return `
    SELECT m.id
    FROM ${table} AS f CROSS JOIN messages AS m ON m.id = f.rowid LEFT JOIN sessions AS s ON s.id = m.session_id
    WHERE f.${table} MATCH ? AND ${condition.sql}`;
}

// Equal ranks are common; without the second key two pages could show one message twice.
const BY_RANK = "ORDER BY f.rank, f.rowid LIMIT ?";

/**
 * The ids an index names, most relevant first. No body is read, and without filters no row of a message at all: most
 * matches of a common word are never looked at.
 *
 * @param limit - How many at most; -1 for all.
 */
export function askByRelevance(scope: SearchScope, index: IndexQuestion, limit: number): readonly number[] {
  const { table, match } = index;
  const ids = scope.filtered
    ? scope.r.tuples<[number]>(`${joined(table, scope.filters)} ${BY_RANK}`, [match, ...scope.filters.params, limit])
    : scope.r.tuples<[number]>(`SELECT f.rowid FROM ${table} AS f WHERE f.${table} MATCH ? ${BY_RANK}`, [match, limit]);
  return ids.map(([id]) => id);
}
