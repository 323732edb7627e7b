import type { MaintenanceConnection } from "@hermes/state-core";
import type { Writer } from "@hermes/state-schema";
import type { RecoveryMends } from "./recovery-report.js";

const REPLACE_CONFIGS = `
  UPDATE sessions SET model_config = '{}' WHERE model_config IS NOT NULL AND NOT json_valid(model_config)`;
const ORPHANED = `
  SELECT MIN(messages.id) AS first, COUNT(*) AS count,
    COALESCE(MIN(CASE WHEN typeof(timestamp) IN ('real', 'integer') THEN timestamp END), 0) AS started
  FROM messages WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = messages.session_id)
  GROUP BY session_id ORDER BY MIN(messages.id)`;
const TITLE_TAKEN = "SELECT 1 AS taken FROM sessions WHERE title = ?";
/** The id never leaves the engine: its bytes may be damaged, and must stay those that the messages have. */
const INSERT_PLACEHOLDER = `
  INSERT INTO sessions (id, source, title, started_at, message_count)
  SELECT session_id, 'recovered', ?, ?, ? FROM messages WHERE id = ?`;
const CLEAR_PARENTS = `
  UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM sessions AS parent WHERE parent.id = sessions.parent_session_id)`;
const CLEAR_PROMPTS = `
  UPDATE sessions SET system_prompt_hash = NULL WHERE system_prompt_hash IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM system_prompts WHERE hash = sessions.system_prompt_hash)`;
const REMOVE_PROMPTS = `
  DELETE FROM system_prompts WHERE hash NOT IN (
    SELECT system_prompt_hash FROM sessions WHERE system_prompt_hash IS NOT NULL
    UNION SELECT tool_names FROM sessions WHERE tool_names IS NOT NULL)`;

/** Tables whose rows say something about a session and mean nothing without it. */
const ABOUT_SESSIONS = [
  "session_model_usage",
  "session_daily_usage",
  "compression_locks",
  "telegram_dm_topic_bindings",
] as const;
const TABLE_PRESENT = "SELECT 1 AS present FROM sqlite_schema WHERE type = 'table' AND name = ?";

interface Placeholders {
  readonly sessions: number;
  readonly messages: number;
}

/** Messages are never dropped for want of a session: each such session gets a row that says what it is. */
function addPlaceholders(w: Writer, word: string): Placeholders {
  let number = 0;
  let messages = 0;
  const orphans = w.all<{ first: number; count: number; started: number }>(ORPHANED);
  for (const { first, count, started } of orphans) {
    let title: string;
    do {
      number += 1;
      title = `[${word} ${number}] session metadata was unreadable`;
    } while (w.get(TITLE_TAKEN, [title]) !== undefined);
    w.run(INSERT_PLACEHOLDER, [title, started, count, first]);
    messages += count;
  }
  return { sessions: orphans.length, messages };
}

function removeOrphans(w: Writer): number {
  let removed = 0;
  for (const table of ABOUT_SESSIONS) {
    if (w.get(TABLE_PRESENT, [table]) === undefined) continue;
    const sql = `DELETE FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE id = ${table}.session_id)`;
    removed += w.run(sql).changes;
  }
  return removed;
}

/**
 * Makes the output consistent without losing a message: placeholder sessions, cleared references to what is gone,
 * readable JSON where triggers evaluate it.
 *
 * @param bestEffort - True when rows came from pages: then the titles of placeholders say so.
 */
export function mendOutput(output: MaintenanceConnection, bestEffort: boolean): RecoveryMends {
  return output.transaction((w) => {
    const replacedModelConfigs = w.run(REPLACE_CONFIGS).changes;
    const placeholders = addPlaceholders(w, bestEffort ? "best-effort recovered" : "recovered");
    return {
      placeholderSessions: placeholders.sessions,
      placeholderMessages: placeholders.messages,
      clearedParents: w.run(CLEAR_PARENTS).changes,
      clearedPrompts: w.run(CLEAR_PROMPTS).changes,
      replacedModelConfigs,
      removedPrompts: w.run(REMOVE_PROMPTS).changes,
      removedOrphans: removeOrphans(w),
    };
  });
}
