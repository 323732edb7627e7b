import type { TableName } from "@hermes/state-schema";

/** Kind of a row that belongs to a session, as exports name it. */
export type ChildEntity = "message" | "usage" | "daily_usage";

/** A table whose rows belong to a session through `session_id`. */
export interface ChildTable {
  readonly entity: ChildEntity;
  readonly table: TableName;
  /** Columns that order the rows of one session and tell them apart. */
  readonly key: readonly string[];
}

/** What moves with a session, in the order it is written and read. */
export const CHILD_TABLES: readonly ChildTable[] = [
  { entity: "message", table: "messages", key: ["id"] },
  {
    entity: "usage",
    table: "session_model_usage",
    key: ["model", "billing_provider", "billing_base_url", "billing_mode", "task"],
  },
  { entity: "daily_usage", table: "session_daily_usage", key: ["day"] },
];

/**
 * Derived columns that no export carries: a digest only the peer computes, and an order that names row ids of one file.
 * Triggers and the peer fill them again.
 */
export const DERIVED_COLUMNS: ReadonlySet<string> = new Set(["display_identity", "display_order"]);

/**
 * State of a running program, not of a conversation. Exports carry it as it stands; an import leaves it at its default,
 * so that an imported session claims no chat, no hand-off and no work in progress (POR-02).
 */
export const RUNTIME_COLUMNS: ReadonlySet<string> = new Set([
  "session_key",
  "chat_id",
  "chat_type",
  "thread_id",
  "origin_json",
  "expiry_finalized",
  "handoff_state",
  "handoff_platform",
  "handoff_error",
  "last_activity_description",
  "last_activity_provenance",
  "compression_failure_cooldown_until",
  "compression_failure_error",
  "compression_fallback_streak",
  "compression_ineffective_count",
  "compression_recovery_deadline",
  "compression_overload_streak",
]);
