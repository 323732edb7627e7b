import { TABLES } from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";
import type { Maybe } from "../codec/maybe.js";
import { RowDecoder } from "../codec/row-decoder.js";

/** Tokens, calls and costs of one session over one route and task. Moments are REAL seconds since the epoch. */
export interface ModelUsage {
  readonly sessionId: string;
  readonly model: Maybe<string>;
  /** Empty where nobody said, as are the two below. */
  readonly billingProvider: Maybe<string>;
  readonly billingBaseUrl: Maybe<string>;
  readonly billingMode: Maybe<string>;
  /** Empty for the main loop. */
  readonly task: Maybe<string>;
  readonly apiCallCount: Maybe<number>;
  readonly inputTokens: Maybe<number>;
  readonly outputTokens: Maybe<number>;
  readonly cacheReadTokens: Maybe<number>;
  readonly cacheWriteTokens: Maybe<number>;
  readonly reasoningTokens: Maybe<number>;
  readonly estimatedCostUsd: Maybe<number>;
  readonly actualCostUsd: Maybe<number>;
  readonly costStatus: Maybe<string>;
  readonly costSource: Maybe<string>;
  readonly firstSeenSeconds: Maybe<number>;
  readonly lastSeenSeconds: Maybe<number>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}

/** What a task of a session used over all its routes. */
export interface TaskUsage {
  readonly task: string;
  readonly apiCallCount: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly estimatedCostUsd: number;
  readonly actualCostUsd: number;
}

/** The route that answered last. */
export interface ModelRoute {
  readonly model: string;
  readonly billingProvider: string;
  readonly billingBaseUrl: string;
  readonly billingMode: string;
}

const DECODER = new RowDecoder<ModelUsage>(TABLES.session_model_usage);

const SELECT_USAGE = `
  SELECT ${DECODER.select("u")} FROM session_model_usage AS u WHERE u.session_id = ?
  ORDER BY u.task, u.model, u.billing_provider, u.billing_base_url, u.billing_mode`;

/** By when it was used and not by how much: a session that switched is on its new route at once. */
const SELECT_RECENT = `
  SELECT model, billing_provider AS billingProvider, billing_base_url AS billingBaseUrl, billing_mode AS billingMode
  FROM session_model_usage WHERE session_id = ? AND task = ''
  ORDER BY CASE WHEN typeof(last_seen) IN ('real', 'integer') THEN last_seen END DESC, rowid DESC LIMIT 1`;

const AMOUNTS = [
  "apiCallCount",
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "estimatedCostUsd",
  "actualCostUsd",
] as const;

/** The usage of a session by route and task, the main loop first. */
export function usageByModel(r: Reader, sessionId: string): ModelUsage[] {
  return r.tuples(SELECT_USAGE, [sessionId]).map((cells) => DECODER.decode(cells));
}

/** The same by task. */
export function usageByTask(r: Reader, sessionId: string): TaskUsage[] {
  const tasks = new Map<string, TaskUsage>();
  for (const row of usageByModel(r, sessionId)) {
    const task = row.task ?? "";
    const so = tasks.get(task);
    const amounts = AMOUNTS.map((key) => [key, (so?.[key] ?? 0) + (row[key] ?? 0)]);
    tasks.set(task, { task, ...Object.fromEntries(amounts) } as TaskUsage);
  }
  return [...tasks.values()];
}

/** The route of the main loop that was used last, or undefined. */
export function recentModelRoute(r: Reader, sessionId: string): ModelRoute | undefined {
  return r.get<ModelRoute>(SELECT_RECENT, [sessionId]);
}
