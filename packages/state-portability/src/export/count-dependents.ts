import type { Reader } from "@hermes/state-schema";
import { CHILD_TABLES } from "../rows/entities.js";
import { quoteName } from "../rows/quote-name.js";

const DEPENDENTS_SQL = `SELECT t.name, f."from"
  FROM pragma_table_list AS t JOIN pragma_foreign_key_list(t.name) AS f
  WHERE t.schema = 'main' AND t.type = 'table' AND f."table" = 'sessions' AND f.on_delete = 'CASCADE'
  ORDER BY t.name`;

/**
 * Rows that a deletion takes along and no export carries: bindings of chats, and whatever other programs hang on a
 * session.
 *
 * @returns By table; tables without such rows are left out.
 */
export function countDependents(r: Reader, sessionIds: readonly string[]): Record<string, number> {
  const exported = new Set<string>(CHILD_TABLES.map(({ table }) => table));
  const counts: Record<string, number> = {};
  for (const [table, column] of r.tuples<[string, string]>(DEPENDENTS_SQL)) {
    if (exported.has(table)) continue;
    const sql = `SELECT COUNT(1) AS n FROM ${quoteName(table)} WHERE ${quoteName(column)} = ?`;
    const rows = sessionIds.reduce((sum, id) => sum + (r.get<{ n: number }>(sql, [id])?.n ?? 0), 0);
    if (rows > 0) counts[table] = (counts[table] ?? 0) + rows;
  }
  return counts;
}
