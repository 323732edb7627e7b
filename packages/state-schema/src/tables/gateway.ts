import { column, counters, table } from "./define.js";
import type { TableModel } from "./table-model.js";

/** Routing entries: which session a peer talks in. */
export const GATEWAY_ROUTING: TableModel = table({
  name: "gateway_routing",
  about: "Routing entries: which session a peer talks in, per scope.",
  primaryKey: ["scope", "session_key"],
  columns: [
    column("scope", "TEXT", 20, { notNull: true, default: "", about: "resolved sessions folder of the writer" }),
    column("session_key", "TEXT", 20, { notNull: true }),
    column("entry_json", "TEXT", 20, { notNull: true }),
    column("updated_at", "REAL", 20, { notNull: true }),
  ],
});

/** Failure streaks of the gateway's housekeeping. */
export const GATEWAY_HYGIENE_STATE: TableModel = table({
  name: "gateway_hygiene_state",
  about: "Failure streaks of the gateway's housekeeping.",
  primaryKey: ["session_key"],
  columns: [column("session_key", "TEXT", 26), ...counters(26, true, "failure_streak")],
});

/** Running gateways. */
export const GATEWAY_HEARTBEATS: TableModel = table({
  name: "gateway_heartbeats",
  about: "Running gateways and when they were last seen.",
  primaryKey: ["backend_id"],
  columns: [
    column("backend_id", "TEXT", 30),
    column("pid", "INTEGER", 30, { notNull: true }),
    column("started_at", "REAL", 30, { notNull: true }),
    column("last_heartbeat", "REAL", 30, { notNull: true }),
    column("profile", "TEXT", 30, { notNull: true, default: "" }),
    column("host", "TEXT", 30, { notNull: true, default: "" }),
  ],
});

/** How often a peer's conversation was reset. */
export const CONVERSATION_GENERATIONS: TableModel = table({
  name: "conversation_generations",
  about: "How often a peer's conversation was reset. Only ever increases and is never collected.",
  primaryKey: ["source", "session_key"],
  columns: [
    column("source", "TEXT", 30, { notNull: true }),
    column("session_key", "TEXT", 30, { notNull: true }),
    ...counters(30, true, "generation"),
  ],
});
