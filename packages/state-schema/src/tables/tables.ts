import { SCHEMA_VERSION_TABLE, STATE_META, SYSTEM_PROMPTS } from "./bookkeeping.js";
import { ASYNC_DELEGATIONS, COMPRESSION_LOCKS, SESSION_TURN_LEASES } from "./claims.js";
import { CONVERSATION_GENERATIONS, GATEWAY_HEARTBEATS, GATEWAY_HYGIENE_STATE, GATEWAY_ROUTING } from "./gateway.js";
import { MESSAGES } from "./messages.js";
import { SESSIONS } from "./sessions.js";
import type { TableModel } from "./table-model.js";
import { TELEGRAM_DM_TOPIC_BINDINGS, TELEGRAM_DM_TOPIC_MODE } from "./telegram.js";
import { SESSION_DAILY_USAGE, SESSION_MODEL_USAGE } from "./usage.js";

/** Name of a table this package knows. */
export type TableName =
  | "schema_version"
  | "system_prompts"
  | "sessions"
  | "messages"
  | "session_model_usage"
  | "state_meta"
  | "gateway_routing"
  | "gateway_hygiene_state"
  | "gateway_heartbeats"
  | "conversation_generations"
  | "compression_locks"
  | "session_turn_leases"
  | "async_delegations"
  | "session_daily_usage"
  | "telegram_dm_topic_mode"
  | "telegram_dm_topic_bindings";

/**
 * Every table of the file by name, in the order a fresh file creates them: the one model that DDL, reconciliation,
 * probes, salvage layouts and documentation derive from (SCH-01). The search index is in `fts/`.
 */
export const TABLES: Readonly<Record<TableName, TableModel>> = Object.freeze({
  schema_version: SCHEMA_VERSION_TABLE,
  system_prompts: SYSTEM_PROMPTS,
  sessions: SESSIONS,
  messages: MESSAGES,
  session_model_usage: SESSION_MODEL_USAGE,
  state_meta: STATE_META,
  gateway_routing: GATEWAY_ROUTING,
  gateway_hygiene_state: GATEWAY_HYGIENE_STATE,
  gateway_heartbeats: GATEWAY_HEARTBEATS,
  conversation_generations: CONVERSATION_GENERATIONS,
  compression_locks: COMPRESSION_LOCKS,
  session_turn_leases: SESSION_TURN_LEASES,
  async_delegations: ASYNC_DELEGATIONS,
  session_daily_usage: SESSION_DAILY_USAGE,
  telegram_dm_topic_mode: TELEGRAM_DM_TOPIC_MODE,
  telegram_dm_topic_bindings: TELEGRAM_DM_TOPIC_BINDINGS,
});

/** The tables that every file has, in creation order. */
export const REQUIRED_TABLES: readonly TableModel[] = Object.values(TABLES).filter(
  (model) => model.presence === "always",
);
