/** How many characters of a tool row are indexed (SEA-07 reports what lies beyond). */
export const INDEXED_TOOL_CHARACTERS = 8192;

/**
 * The text of a message that the newest index holds: everything, but of a tool row only its first 8,192 characters.
 * View, triggers, backfill and scans share this one expression (SCH-06).
 *
 * @param alias - Name of the `messages` row in the statement: an alias, `new`, `old`, or "" for bare column names.
 */
export function indexedContentSql(alias: string): string {
  const row = alias === "" ? "" : `${alias}.`;
  return `CASE WHEN ${row}role = 'tool' THEN substr(COALESCE(${row}content, ''), 1, ${INDEXED_TOOL_CHARACTERS})
      ELSE ${row}content END`;
}

/**
 * The text of a message that an inline index (layout 0) holds.
 *
 * @param alias - As in {@link indexedContentSql}.
 */
export function inlineContentSql(alias: string): string {
  const row = alias === "" ? "" : `${alias}.`;
  return `COALESCE(${row}content, '') || ' ' || COALESCE(${row}tool_name, '') || ' ' || COALESCE(${row}tool_calls, '')`;
}
