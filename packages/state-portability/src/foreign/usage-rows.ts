import type { RawRow } from "../rows/raw-row.js";
import type { ForeignUsage } from "./foreign-session.js";

const ZERO = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
type Tokens = typeof ZERO;

interface Sum extends Tokens {
  replies: number;
  cost: number | null;
}

function add(sum: Sum, usage: ForeignUsage): void {
  for (const name of Object.keys(ZERO) as (keyof Tokens)[]) sum[name] += usage[name];
  sum.replies += 1;
  if (usage.costUsd !== null) sum.cost = (sum.cost ?? 0) + usage.costUsd;
}

function cells(sum: Sum): Record<string, number | null> {
  return {
    input_tokens: sum.inputTokens,
    output_tokens: sum.outputTokens,
    cache_read_tokens: sum.cacheReadTokens,
    cache_write_tokens: sum.cacheWriteTokens,
    reasoning_tokens: sum.reasoningTokens,
    api_call_count: sum.replies,
  };
}

/** What the replies of a session cost: the session's own counters, and one row for every model. */
export function usageRows(usage: readonly ForeignUsage[]): { readonly totals: RawRow; readonly models: RawRow[] } {
  const total: Sum = { ...ZERO, replies: 0, cost: null };
  const byModel = new Map<string, Sum>();
  for (const one of usage) {
    let sum = byModel.get(one.model);
    if (!sum) byModel.set(one.model, (sum = { ...ZERO, replies: 0, cost: null }));
    add(sum, one);
    add(total, one);
  }
  const models = [...byModel].map(([model, sum]): RawRow => ({ model, ...cells(sum), ...costs(sum, 0) }));
  return { totals: { ...cells(total), ...costs(total, null) }, models };
}

/** @param unknown - What a column holds when the source names no costs. */
function costs({ cost }: Sum, unknown: 0 | null): RawRow {
  return cost === null
    ? { actual_cost_usd: unknown }
    : { actual_cost_usd: cost, cost_status: "actual", cost_source: "import" };
}
