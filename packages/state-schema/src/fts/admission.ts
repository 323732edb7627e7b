/**
 * Sources whose sessions the trigram index leaves out. A session must not change its source from one side of this line
 * to the other once it has messages: the index would not remove what it admitted (SCH-06).
 */
export const TRIGRAM_EXCLUDED_SOURCES: readonly string[] = ["cron", "subagent"];

const EXCLUDED_SOURCES = `(${TRIGRAM_EXCLUDED_SOURCES.map((source) => `'${source}'`).join(", ")})`;

/** A session admits its messages to the trigram index: neither scheduled nor delegated work. */
function sessionAdmissionSql(session: string): string {
  const config = `CASE WHEN json_valid(${session}.model_config) THEN ${session}.model_config ELSE '{}' END`;
  return `${session}.source NOT IN ${EXCLUDED_SOURCES}
    AND json_extract(${config}, '$._delegate_from') IS NULL`;
}

/**
 * The predicate that decides whether a message is in the trigram index: no tool rows, no scheduled or subagent
 * source, no delegated session. View, triggers and backfill share it (SCH-06).
 *
 * @param message - Alias of the `messages` row.
 * @param session - Alias of its `sessions` row.
 */
export function trigramAdmissionSql(message: string, session: string): string {
  return `${message}.role <> 'tool' AND ${sessionAdmissionSql(session)}`;
}

/**
 * The same predicate where only the message is at hand, as in a trigger.
 *
 * @param message - Alias of the `messages` row, `new` or `old`.
 */
export function trigramAdmissionOfRowSql(message: string): string {
  return `${message}.role <> 'tool' AND EXISTS (
    SELECT 1 FROM sessions AS s WHERE s.id = ${message}.session_id
    AND ${sessionAdmissionSql("s")}
  )`;
}
