import { TABLES } from "@hermes/state-schema";
import type { SqlValue, Writer } from "@hermes/state-schema";
import { COST_COLUMNS, COUNTER_COLUMNS, ROUTE_COLUMNS } from "./usage-entry.js";
import type { UsageEntry } from "./usage-entry.js";

const UNKNOWN_MODEL = "unknown";

const AMOUNTS = [...COUNTER_COLUMNS, ...COST_COLUMNS];
const STATED = ["cost_status", "cost_source"] as const;
const COLUMNS = ["session_id", ...ROUTE_COLUMNS, "task", ...AMOUNTS, ...STATED, "first_seen", "last_seen"];

const ADD = `
  INSERT INTO session_model_usage (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (${TABLES.session_model_usage.primaryKey.join(", ")}) DO UPDATE SET
    ${AMOUNTS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")},
    ${STATED.map((column) => `${column} = COALESCE(excluded.${column}, ${column})`).join(", ")},
    first_seen = COALESCE(first_seen, excluded.first_seen), last_seen = excluded.last_seen`;

/**
 * Adds an entry to the usage of its session by route and task.
 *
 * @param fallback - The route of the session, for what the entry does not name; nothing for auxiliary work, which may
 * run on any model.
 * @param now - REAL seconds.
 */
export function addModelUsage(w: Writer, entry: UsageEntry, fallback: readonly SqlValue[], now: number): void {
  const route = entry.route.map((text, index) => text ?? fallback[index] ?? (index === 0 ? UNKNOWN_MODEL : ""));
  const [costStatus, costSource] = entry.terms;
  w.run(ADD, [
    entry.sessionId,
    ...route,
    entry.task,
    ...[...entry.counters, ...entry.costs].map((amount) => amount ?? 0),
    costStatus,
    costSource,
    now,
    now,
  ]);
}
