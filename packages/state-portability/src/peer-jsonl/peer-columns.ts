import { TABLES } from "@hermes/state-schema";
import type { ColumnModel } from "@hermes/state-schema";
import { DERIVED_COLUMNS } from "../rows/entities.js";

/** Counters are taken from the rows that arrive, and the prompt travels as text. */
const SESSION_SKIPPED = new Set(["id", "system_prompt", "system_prompt_hash", "message_count", "tool_call_count"]);
const MESSAGE_SKIPPED = new Set(["id", "session_id", "role", "content", "tool_calls", "timestamp", "display_metadata"]);

/** Columns of a session that the peer's file fills directly. */
export const PEER_SESSION_COLUMNS: readonly ColumnModel[] = TABLES.sessions.columns.filter(
  (column) => !SESSION_SKIPPED.has(column.name),
);

/** Columns of a message that the peer's file fills directly; the others have a meaning of their own. */
export const PEER_MESSAGE_COLUMNS: readonly ColumnModel[] = TABLES.messages.columns.filter(
  (column) => !MESSAGE_SKIPPED.has(column.name) && !DERIVED_COLUMNS.has(column.name),
);

/** Columns of a message that hold JSON text of a structure, and are kept for the assistant only. */
export const REASONING_COLUMNS: ReadonlySet<string> = new Set([
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
]);

/** Text columns in which the peer's file may hold the structure itself. */
export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  "model_config",
  "origin_json",
  "tool_names",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
  "absorbed_message_uids",
  "tool_call_uids",
]);
