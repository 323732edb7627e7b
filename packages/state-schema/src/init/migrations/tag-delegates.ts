import { completeMigration } from "./complete-migration.js";
import type { Migration } from "./migration.js";

/** End reasons of a parent whose child is a continuation or a new conversation, as they were at this gate. */
const BOUNDARY_REASONS = `
  'compression', 'session_reset', 'session_switch', 'idle', 'daily', 'suspended', 'resume_pending_expired',
  'new_session'`;

/** A config that can carry a marker and has none. Text that is not a JSON object is left as it is. */
const UNMARKED = `(s.model_config IS NULL OR (
    CASE WHEN json_valid(s.model_config) THEN json_type(s.model_config) END = 'object'
    AND json_extract(s.model_config, '$._branched_from') IS NULL
    AND json_extract(s.model_config, '$._delegate_from') IS NULL
    AND json_extract(s.model_config, '$._reset_from') IS NULL))`;

const TAG_CHILDREN = `
  UPDATE sessions AS s
  SET model_config = json_set(COALESCE(s.model_config, '{}'), '$._delegate_from', s.parent_session_id)
  WHERE s.parent_session_id IS NOT NULL AND ${UNMARKED}
    AND NOT EXISTS (
      SELECT 1 FROM sessions AS p WHERE p.id = s.parent_session_id
      AND (p.end_reason IN (${BOUNDARY_REASONS}) OR (p.end_reason = 'branched' AND s.started_at >= p.ended_at)))`;

const TAG_ORPHANS = `
  UPDATE sessions AS s
  SET model_config = json_set(COALESCE(s.model_config, '{}'), '$._delegate_from', '__orphaned__')
  WHERE s.parent_session_id IS NULL AND s.title IS NULL AND COALESCE(s.message_count, 0) <= 25 AND ${UNMARKED}
    AND EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.id AND m.role = 'tool')
    AND NOT EXISTS (SELECT 1 FROM sessions AS c WHERE c.parent_session_id = s.id)`;

/** Version 16: sessions of delegated work carry a marker. */
export const TAG_DELEGATES: Migration = {
  gate: 16,
  about: "mark sessions of delegated work",
  run: ({ host }) => {
    completeMigration(host, "mark delegated sessions", TAG_DELEGATES.gate, (w) => {
      w.run(TAG_CHILDREN);
      w.run(TAG_ORPHANS);
    });
    return true;
  },
};
