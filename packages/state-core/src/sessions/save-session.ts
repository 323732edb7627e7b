import type { SqlValue, Writer } from "@hermes/state-schema";
import { decodeModelConfig, encodeModelConfig } from "../codec/model-config.js";
import { SESSION_TEXT_COLUMNS } from "./encode-session.js";
import type { EncodedSession, SessionTextColumn } from "./encode-session.js";
import { joinConversation } from "./flags/archive-state.js";
import { inheritFromParent } from "./inherit-from-parent.js";
import { storePrompt } from "./prompts.js";
import { sessionExists } from "./session-errors.js";

/** A row that was made for a session before anybody said where it runs. */
export const PLACEHOLDER_SOURCE = "unknown";

const TEXT = SESSION_TEXT_COLUMNS;
const GIVEN = ["id", "source", "created_source", "started_at"];
const MADE = ["model_config", "system_prompt_hash", "tool_names"];
const COLUMNS = [...GIVEN, ...TEXT, ...MADE];

const INSERT = `INSERT INTO sessions (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`;

const EXISTING = `
  SELECT source, model_config, tool_names, title,
    system_prompt_hash IS NOT NULL OR system_prompt IS NOT NULL AS prompted, ${TEXT.join(", ")}
  FROM sessions WHERE id = ?`;

/** Fills only what is NULL, except the placeholder source and the config, which the caller has merged. */
const FILL = `
  UPDATE sessions SET
    created_source = CASE WHEN source = '${PLACEHOLDER_SOURCE}' THEN ? ELSE created_source END,
    source = CASE WHEN source = '${PLACEHOLDER_SOURCE}' THEN ? ELSE source END,
    model_config = ?,
    system_prompt_hash = COALESCE(system_prompt_hash, ?),
    tool_names = COALESCE(tool_names, ?),
    ${TEXT.map((column) => `${column} = COALESCE(${column}, ?)`).join(", ")}
  WHERE id = ?`;

interface ExistingRow extends Record<SessionTextColumn, string | null> {
  readonly source: string;
  readonly model_config: SqlValue;
  readonly tool_names: string | null;
  readonly title: string | null;
  readonly prompted: number;
}

/**
 * Inserts a session row. The prompt goes to the table of shared prompts, the inline column stays NULL. What continues
 * a conversation takes over its flags.
 *
 * @param profile - The profile the store's path stands for.
 * @throws StateError `STATE_E_SESSION_EXISTS`, `STATE_E_PARENT_NOT_FOUND`.
 */
export function insertSession(w: Writer, session: EncodedSession, profile: string | null): void {
  if (w.get(EXISTING, [session.id])) throw sessionExists(session.id);
  const text = inheritFromParent(w, session);
  text.profile_name ??= profile;
  w.run(INSERT, [
    session.id,
    session.source,
    session.source,
    session.startedAt,
    ...TEXT.map((column) => text[column]),
    encodeModelConfig(session.config),
    storePrompt(w, session.prompt),
    session.toolNames,
  ]);
  if (text.parent_session_id !== null) joinConversation(w, session.id);
}

/** The config after an arriving one: the first writer wins, but a bare reset marker joins what comes later. */
function mergedConfig(stored: SqlValue, session: EncodedSession): SqlValue {
  const config = decodeModelConfig(stored);
  const keys = Object.keys(config);
  if (stored !== null && !(keys.length === 1 && keys[0] === "_reset_from")) return stored;
  return encodeModelConfig({ ...config, ...session.config });
}

/**
 * Inserts a session row, or fills what an existing one lacks: the first writer of a field wins (COR-20).
 *
 * @returns Whether the row has no title yet.
 * @throws StateError `STATE_E_PARENT_NOT_FOUND`.
 */
export function ensureSession(w: Writer, session: EncodedSession, profile: string | null): { untitled: boolean } {
  const row = w.get<ExistingRow>(EXISTING, [session.id]);
  if (!row) {
    insertSession(w, session, profile);
    return { untitled: true };
  }
  const text = inheritFromParent(w, session);
  text.profile_name ??= profile;
  const config = mergedConfig(row.model_config, session);
  const lacking =
    (row.source === PLACEHOLDER_SOURCE && session.source !== PLACEHOLDER_SOURCE) ||
    config !== row.model_config ||
    (row.prompted === 0 && session.prompt !== undefined) ||
    (row.tool_names === null && session.toolNames !== null) ||
    TEXT.some((column) => row[column] === null && text[column] !== null);
  if (lacking) {
    w.run(FILL, [
      session.source,
      session.source,
      config,
      row.prompted === 0 ? storePrompt(w, session.prompt) : null,
      session.toolNames,
      ...TEXT.map((column) => text[column]),
      session.id,
    ]);
  }
  if (row.parent_session_id === null && text.parent_session_id !== null) joinConversation(w, session.id);
  return { untitled: row.title === null };
}
