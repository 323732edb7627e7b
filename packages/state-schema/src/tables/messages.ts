import { column, columns, counters, index, reference, table } from "./define.js";
import type { TableModel } from "./table-model.js";

const VISIBLE = "active = 1 OR compacted = 1";

/** One message of a session (core table). */
export const MESSAGES: TableModel = table({
  name: "messages",
  about: "One row per message. Insertion order (id) is the only order.",
  primaryKey: ["id"],
  autoincrement: true,
  columns: [
    column("id", "INTEGER", 2),
    column("session_id", "TEXT", 2, { notNull: true }),
    column("role", "TEXT", 2, { notNull: true, about: "user, assistant, tool, system, session_meta, ..." }),
    column("content", "TEXT", 2, { about: "text as it is, or NUL, `json:` and JSON for structured content" }),
    column("tool_call_id", "TEXT", 2),
    column("tool_calls", "TEXT", 2, { about: "JSON array or NULL" }),
    column("tool_name", "TEXT", 2),
    column("effect_disposition", "TEXT", 20),
    column("timestamp", "REAL", 2, { notNull: true, about: "seconds since the epoch, as given" }),
    column("token_count", "INTEGER", 2),
    column("finish_reason", "TEXT", 2),
    column("reasoning", "TEXT", 6),
    column("reasoning_content", "TEXT", 8),
    column("reasoning_details", "TEXT", 6, { about: "JSON" }),
    column("codex_reasoning_items", "TEXT", 6, { about: "JSON" }),
    column("codex_message_items", "TEXT", 11, { about: "JSON" }),
    column("platform_message_id", "TEXT", 14, { about: "id given by the chat platform" }),
    ...counters(14, false, "observed"),
    ...counters(30, true, "_compressed_summary"),
    column("active", "INTEGER", 14, { notNull: true, default: 1, about: "1: the model sees it" }),
    column("compacted", "INTEGER", 16, { notNull: true, default: 0, about: "1: summarised away, still searchable" }),
    column("api_content", "TEXT", 22, { about: "the exact wire string" }),
    column("display_kind", "TEXT", 23),
    column("display_metadata", "TEXT", 23, { about: "JSON object" }),
    column("display_identity", "BLOB", 30, { about: "digest filled in by the peer; written NULL here" }),
    column("display_order", "INTEGER", 30, { about: "kept by the display triggers; written NULL here" }),
    column("message_uid", "TEXT", 30.1),
    column("absorbed_message_uids", "TEXT", 30.1, { about: "JSON array" }),
    column("tool_call_uids", "TEXT", 30.1, { about: "JSON array" }),
    ...columns("TEXT", 30.1, "tool_call_uid"),
  ],
  foreignKeys: [reference("session_id", "sessions", "id")],
  indexes: [
    index("idx_messages_session", "session_id, timestamp"),
    index("idx_messages_session_id", "session_id, id"),
    index("idx_messages_assistant_calls_by_session", "session_id", {
      where: "role = 'assistant' AND tool_calls IS NOT NULL",
    }),
    index("idx_messages_platform_msg_id", "session_id, platform_message_id", {
      where: "platform_message_id IS NOT NULL",
      stage: "deferred",
    }),
    index("idx_messages_session_active", "session_id, active, timestamp", { stage: "deferred" }),
    index("idx_messages_active_null", "active", { where: "active IS NULL", stage: "deferred" }),
    index("idx_messages_display_page", "session_id, display_order, active DESC, id DESC", {
      where: VISIBLE,
      stage: "deferred",
    }),
    index("idx_messages_display_backfill", "session_id", {
      where: `(display_order IS NULL OR display_identity IS NULL) AND (${VISIBLE})`,
      stage: "deferred",
    }),
    index("idx_messages_display_identity", "session_id, display_identity, display_order", {
      where: `display_identity IS NOT NULL AND (${VISIBLE})`,
      stage: "deferred",
    }),
  ],
});
