const visible = (row: string): string => `(${row}active = 1 OR ${row}compacted = 1)`;

/** The order of the group that shares the identity of the new row, or the new row's own id. */
const groupOrder = `COALESCE((
      SELECT peer.display_order FROM messages AS peer
      WHERE peer.session_id = new.session_id AND peer.id <> new.id AND ${visible("peer.")}
        AND peer.display_identity = new.display_identity AND peer.display_order IS NOT NULL
      ORDER BY peer.display_order LIMIT 1
    ), new.id)`;

/** Gives what is left of the old row's group the lowest visible id of the group. */
const reorderOldGroup = (extra: string): string => `UPDATE messages SET display_order = (
      SELECT MIN(peer.id) FROM messages AS peer
      WHERE peer.session_id = old.session_id AND ${visible("peer.")}
        AND peer.display_identity = old.display_identity
    )
    WHERE session_id = old.session_id AND ${visible("")} AND display_identity = old.display_identity${extra};`;

const IDENTITY_COLUMNS = [
  "role",
  "content",
  "timestamp",
  "tool_call_id",
  "tool_calls",
  "tool_name",
  "display_kind",
] as const;

/**
 * Triggers that keep `messages.display_order` for peers that page by it. Rows written here leave `display_identity`
 * and `display_order` NULL; the first trigger then sets the order to the id (docs/sharing.md).
 */
export const DISPLAY_TRIGGERS: Readonly<Record<string, string>> = Object.freeze({
  messages_display_order_insert: `CREATE TRIGGER IF NOT EXISTS messages_display_order_insert
  AFTER INSERT ON messages WHEN new.display_order IS NULL
  BEGIN
    UPDATE messages SET display_order = ${groupOrder}
    WHERE id = new.id;
  END`,

  messages_display_visibility_update: `CREATE TRIGGER IF NOT EXISTS messages_display_visibility_update
  AFTER UPDATE OF active, compacted ON messages WHEN ${visible("new.")} <> ${visible("old.")}
  BEGIN
    UPDATE messages SET display_order = MIN(new.id, ${groupOrder})
    WHERE id = new.id AND ${visible("new.")};
    UPDATE messages SET display_order = (SELECT self.display_order FROM messages AS self WHERE self.id = new.id)
    WHERE session_id = new.session_id AND id <> new.id AND ${visible("")}
      AND display_identity = new.display_identity AND ${visible("new.")};
    ${reorderOldGroup(`\n      AND NOT ${visible("new.")}`)}
  END`,

  messages_display_identity_update: `CREATE TRIGGER IF NOT EXISTS messages_display_identity_update
  AFTER UPDATE OF ${IDENTITY_COLUMNS.join(", ")} ON messages
  WHEN ${IDENTITY_COLUMNS.map((name) => `new.${name} IS NOT old.${name}`).join("\n    OR ")}
  BEGIN
    UPDATE messages SET display_identity = NULL, display_order = NULL
    WHERE id = new.id OR (
      session_id = old.session_id AND display_identity = old.display_identity AND ${visible("")}
    );
  END`,

  messages_display_identity_delete: `CREATE TRIGGER IF NOT EXISTS messages_display_identity_delete
  AFTER DELETE ON messages WHEN ${visible("old.")}
  BEGIN
    ${reorderOldGroup("")}
  END`,
});
