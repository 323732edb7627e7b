import { completeMigration } from "./complete-migration.js";
import type { Migration } from "./migration.js";

const COUNTERS = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"];
const TOTALS = COUNTERS.map((name) => `COALESCE(s.${name}, 0)`);

/** Sessions that already have usage rows are skipped: their totals are in them. */
const SEED = `
  INSERT OR IGNORE INTO session_model_usage (
    session_id, model, billing_provider, billing_base_url, billing_mode, task, api_call_count, ${COUNTERS.join(", ")},
    estimated_cost_usd, actual_cost_usd, cost_status, cost_source, first_seen, last_seen)
  SELECT
    s.id, COALESCE(s.model, 'unknown'), COALESCE(s.billing_provider, ''), COALESCE(s.billing_base_url, ''),
    COALESCE(s.billing_mode, ''), '', COALESCE(s.api_call_count, 0), ${TOTALS.join(", ")},
    COALESCE(s.estimated_cost_usd, 0), COALESCE(s.actual_cost_usd, 0), s.cost_status, s.cost_source,
    s.started_at, COALESCE(s.ended_at, s.started_at)
  FROM sessions AS s
  WHERE ${TOTALS.join(" + ")} > 0
    AND NOT EXISTS (SELECT 1 FROM session_model_usage AS u WHERE u.session_id = s.id)`;

/** Version 20: every session with tokens gets a usage row from its totals. */
export const SEED_USAGE: Migration = {
  gate: 20,
  about: "seed usage rows from session totals",
  run: ({ host }) => {
    completeMigration(host, "seed usage rows", SEED_USAGE.gate, (w) => w.run(SEED));
    return true;
  },
};
