import { column, columns, index, table } from "./define.js";
import type { TableModel } from "./table-model.js";

/** Claims on a compaction, one per session. */
export const COMPRESSION_LOCKS: TableModel = table({
  name: "compression_locks",
  about: "Who compacts a session right now. No reference to sessions, on purpose.",
  primaryKey: ["session_id"],
  columns: [
    column("session_id", "TEXT", 14),
    column("holder", "TEXT", 14, { notNull: true, about: "carries pid=" }),
    column("acquired_at", "REAL", 14, { notNull: true }),
    column("expires_at", "REAL", 14, { notNull: true }),
  ],
  indexes: [index("idx_compression_locks_expires", "expires_at")],
});

/** Claims on a turn, one per conversation. */
export const SESSION_TURN_LEASES: TableModel = table({
  name: "session_turn_leases",
  about: "Who runs a turn of a conversation right now; the key is the root of the lineage.",
  primaryKey: ["conversation_id"],
  columns: [
    column("conversation_id", "TEXT", 26),
    column("holder", "TEXT", 26, { notNull: true, about: "carries pid=" }),
    column("acquired_at", "REAL", 26, { notNull: true }),
    column("expires_at", "REAL", 26, { notNull: true }),
  ],
  indexes: [index("idx_session_turn_leases_expires", "expires_at")],
});

/** Delegated work and the delivery of its results. */
export const ASYNC_DELEGATIONS: TableModel = table({
  name: "async_delegations",
  about: "Delegated work and the delivery of its result. Another program may create a file with this table alone.",
  primaryKey: ["delegation_id"],
  columns: [
    column("delegation_id", "TEXT", 22),
    column("origin_session", "TEXT", 22, { notNull: true }),
    column("origin_ui_session_id", "TEXT", 22, { notNull: true, default: "" }),
    column("parent_session_id", "TEXT", 22),
    column("state", "TEXT", 22, { notNull: true }),
    column("dispatched_at", "REAL", 22, { notNull: true }),
    column("completed_at", "REAL", 22),
    column("updated_at", "REAL", 22, { notNull: true }),
    ...columns("TEXT", 22, "event_json", "result_json"),
    column("delivery_state", "TEXT", 22, { notNull: true, default: "pending" }),
    column("delivery_attempts", "INTEGER", 22, { notNull: true, default: 0 }),
    column("delivered_at", "REAL", 22),
    ...columns("INTEGER", 22, "owner_pid", "owner_started_at"),
    ...columns("TEXT", 22, "task_json", "delivery_claim"),
    column("delivery_claimed_at", "REAL", 22),
    column("origin_session_id", "TEXT", 30, { notNull: true, default: "" }),
  ],
  indexes: [index("idx_async_delegations_delivery", "delivery_state, completed_at")],
});
