import type { SqlCondition } from "../compile/sql-condition.js";
import type { IndexQuestion } from "../plan/plan-search.js";
import type { SearchScope } from "./candidates.js";
import { SECONDS } from "./filter-sql.js";

function byRelevance(table: string): string {
  // Equal ranks are common; without the second key two pages could show one message twice.
  return `SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rank, rowid LIMIT ?`;
}

function byTime(table: string, condition: SqlCondition, direction: "ASC" | "DESC"): string {
  return `
    SELECT m.id
    FROM ${table} AS f CROSS JOIN messages AS m ON m.id = f.rowid LEFT JOIN sessions AS s ON s.id = m.session_id
    WHERE f.${table} MATCH ? AND ${condition.sql}
    ORDER BY ${SECONDS} ${direction}, m.id ${direction}`;
}

/**
 * The ids an index names, most relevant first. No column of a message is read.
 *
 * @param limit - How many at most; -1 for all.
 */
export function askByRelevance(scope: SearchScope, index: IndexQuestion, limit: number): readonly number[] {
  return scope.r.tuples<[number]>(byRelevance(index.table), [index.match, limit]).map(([id]) => id);
}

/** The ids an index names, by time, of the messages that fulfil a condition. No body is read. */
export function askByTime(
  scope: SearchScope,
  index: IndexQuestion,
  condition: SqlCondition,
  direction: "ASC" | "DESC",
): readonly number[] {
  const sql = byTime(index.table, condition, direction);
  return scope.r.tuples<[number]>(sql, [index.match, ...condition.params]).map(([id]) => id);
}
