import { checkKnownOptions } from "../config/check-known-options.js";
import type { UsageDelta } from "./usage-record.js";

/** Columns that count, in the order an entry holds their numbers. */
export const COUNTER_COLUMNS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "api_call_count",
] as const;

/** Columns of money, in the order an entry holds their numbers. */
export const COST_COLUMNS = ["estimated_cost_usd", "actual_cost_usd"] as const;

/** Columns that say how costs came about, in the order an entry holds their texts. */
export const TERM_COLUMNS = ["cost_status", "cost_source", "pricing_version"] as const;

/** Columns that say who answered and who is billed, in the order an entry holds their texts. */
export const ROUTE_COLUMNS = ["model", "billing_provider", "billing_base_url", "billing_mode"] as const;

type Four<T> = readonly [T, T, T, T];
type Cell = string | null;

/** One checked record of usage. */
export interface UsageEntry {
  /** `auxiliary` has a task and leaves the session's own totals alone. */
  readonly kind: "delta" | "absolute" | "auxiliary";
  readonly sessionId: string;
  /** Empty for the main loop. */
  readonly task: string;
  readonly source: string | undefined;
  /** By {@link COUNTER_COLUMNS}; null keeps what is stored and occurs in absolute entries only. */
  readonly counters: readonly (number | null)[];
  /** By {@link COST_COLUMNS}; null means unknown. */
  readonly costs: readonly [number | null, number | null];
  /** By {@link TERM_COLUMNS}. */
  readonly terms: readonly [Cell, Cell, Cell];
  /** By {@link ROUTE_COLUMNS}. */
  readonly route: Four<Cell>;
}

const COUNTERS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

const AUXILIARY_KEYS = [
  ...COUNTERS,
  "apiCallCount",
  "estimatedCostUsd",
  "actualCostUsd",
  "costStatus",
  "costSource",
  "model",
  "billingProvider",
  "billingBaseUrl",
  "billingMode",
] as const;

const KEYS: readonly (keyof UsageDelta)[] = [...AUXILIARY_KEYS, "pricingVersion", "source"];

function countOf(what: string, value: number | undefined): number | null {
  if (value === undefined) return null;
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`${what} must be a whole number, 0 or more, not ${String(value)}.`);
}

function costOf(what: string, value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (Number.isFinite(value)) return value;
  throw new RangeError(`${what} must be a number or null, not ${String(value)}.`);
}

function textOf(what: string, value: string | null | undefined): Cell {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  throw new TypeError(`${what} must be a string, not ${typeof value}.`);
}

/**
 * Checks a record of usage.
 *
 * @param what - The method as the caller knows it.
 * @throws TypeError for an unknown key or a wrong type, RangeError for a number that cannot be.
 */
export function usageEntry(
  what: string,
  kind: UsageEntry["kind"],
  sessionId: string,
  usage: UsageDelta,
  task = "",
): UsageEntry {
  checkKnownOptions(what, usage, kind === "auxiliary" ? AUXILIARY_KEYS : KEYS);
  const of = (key: keyof UsageDelta): string => `${what}: ${key}`;
  const tokens = COUNTERS.map((key) => countOf(of(key), usage[key]));
  const calls = countOf(of("apiCallCount"), usage.apiCallCount);
  return {
    kind,
    sessionId,
    task,
    source: textOf(of("source"), usage.source) ?? undefined,
    counters: kind === "absolute" ? [...tokens, calls] : [...tokens.map((count) => count ?? 0), calls ?? 1],
    costs: [
      costOf(of("estimatedCostUsd"), usage.estimatedCostUsd),
      costOf(of("actualCostUsd"), usage.actualCostUsd),
    ],
    terms: [
      textOf(of("costStatus"), usage.costStatus),
      textOf(of("costSource"), usage.costSource),
      textOf(of("pricingVersion"), usage.pricingVersion),
    ],
    route: [
      textOf(of("model"), usage.model),
      textOf(of("billingProvider"), usage.billingProvider),
      textOf(of("billingBaseUrl"), usage.billingBaseUrl),
      textOf(of("billingMode"), usage.billingMode),
    ],
  };
}

/** Whether anything but calls was counted: only then does an entry say anything about the session's route. */
export function hasUsage({ counters, costs }: UsageEntry): boolean {
  return [...counters.slice(0, COUNTERS.length), ...costs].some((amount) => amount !== null && amount !== 0);
}

/** As an entry of the session's usage by model counts: does it add anything at all? */
export function addsAnything(entry: UsageEntry): boolean {
  return hasUsage(entry) || (entry.counters[COUNTERS.length] ?? 0) !== 0;
}
