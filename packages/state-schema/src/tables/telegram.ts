import { column, columns, index, reference, table } from "./define.js";
import type { TableModel } from "./table-model.js";

/** Chats that opted in to topics. */
export const TELEGRAM_DM_TOPIC_MODE: TableModel = table({
  name: "telegram_dm_topic_mode",
  about: "Chats that opted in to topics.",
  presence: "opt-in",
  primaryKey: ["chat_id"],
  columns: [
    column("chat_id", "TEXT", 11),
    column("user_id", "TEXT", 11, { notNull: true }),
    column("enabled", "INTEGER", 11, { notNull: true, default: 1 }),
    column("activated_at", "REAL", 11, { notNull: true }),
    column("updated_at", "REAL", 11, { notNull: true }),
    ...columns("INTEGER", 11, "has_topics_enabled", "allows_users_to_create_topics"),
    column("capability_checked_at", "REAL", 11),
    ...columns("TEXT", 11, "intro_message_id", "pinned_message_id"),
  ],
});

/** Which topic shows which session. */
export const TELEGRAM_DM_TOPIC_BINDINGS: TableModel = table({
  name: "telegram_dm_topic_bindings",
  about: "Which topic shows which session.",
  presence: "opt-in",
  primaryKey: ["chat_id", "thread_id"],
  columns: [
    ...["chat_id", "thread_id", "user_id", "session_key", "session_id"].map((name) =>
      column(name, "TEXT", 11, { notNull: true }),
    ),
    column("managed_mode", "TEXT", 11, { notNull: true, default: "auto" }),
    column("linked_at", "REAL", 11, { notNull: true }),
    column("updated_at", "REAL", 11, { notNull: true }),
  ],
  foreignKeys: [reference("session_id", "sessions", "id", "CASCADE")],
  indexes: [
    index("idx_telegram_dm_topic_bindings_session", "session_id", { unique: true }),
    index("idx_telegram_dm_topic_bindings_user", "user_id, chat_id"),
  ],
});
