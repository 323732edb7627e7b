/**
 * SQL that is true for rows that are shown: what the model sees, and what a compaction summarised away.
 *
 * @param row - Alias of `messages`.
 */
export function visibleSql(row: string): string {
  return `(COALESCE(${row}.active, 1) = 1 OR ${row}.compacted = 1)`;
}
