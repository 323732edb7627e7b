import { column, columns, counters, index, reference, table } from "./define.js";
import type { ColumnModel, TableModel } from "./table-model.js";

const routePart = (name: string, since: number): ColumnModel =>
  column(name, "TEXT", since, { notNull: true, default: "" });
const TOKEN_COUNTERS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
] as const;
const cost = (name: string, since: number): ColumnModel => column(name, "REAL", since, { notNull: true, default: 0 });

/** Token and cost totals per session, route and task. */
export const SESSION_MODEL_USAGE: TableModel = table({
  name: "session_model_usage",
  about: "Token and cost totals per session, model, billing route and task; task '' is the main loop.",
  primaryKey: ["session_id", "model", "billing_provider", "billing_base_url", "billing_mode", "task"],
  columns: [
    column("session_id", "TEXT", 20, { notNull: true }),
    column("model", "TEXT", 20, { notNull: true }),
    routePart("billing_provider", 20),
    routePart("billing_base_url", 20),
    routePart("billing_mode", 20),
    routePart("task", 22),
    ...counters(20, true, "api_call_count", ...TOKEN_COUNTERS),
    cost("estimated_cost_usd", 20),
    cost("actual_cost_usd", 20),
    ...columns("TEXT", 20, "cost_status", "cost_source"),
    ...columns("REAL", 20, "first_seen", "last_seen"),
  ],
  foreignKeys: [reference("session_id", "sessions", "id", "CASCADE")],
  indexes: [
    index("idx_session_model_usage_session", "session_id"),
    index("idx_session_model_usage_model", "model"),
  ],
});

/** Token and cost totals per session and local day: some newer peers keep it. */
export const SESSION_DAILY_USAGE: TableModel = table({
  name: "session_daily_usage",
  about: "Token and cost totals per session and local day. Some newer peers keep it; columns as their writes show.",
  presence: "opt-in",
  primaryKey: ["session_id", "day"],
  columns: [
    column("session_id", "TEXT", 30.1, { notNull: true }),
    column("day", "TEXT", 30.1, { notNull: true, about: "local date, YYYY-MM-DD" }),
    ...counters(30.1, true, ...TOKEN_COUNTERS),
    cost("estimated_cost_usd", 30.1),
    cost("actual_cost_usd", 30.1),
    ...counters(30.1, true, "api_call_count"),
  ],
});
