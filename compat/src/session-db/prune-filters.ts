import type { RetentionFilter } from "@hermes/state-core";
import { given } from "./given.js";

/** Which ended sessions go or are archived, joined by AND; moments are REAL seconds. Null and absent mean the same. */
export interface PruneFilters {
  /** Last active longer ago than this; an explicit moment wins over it. */
  readonly olderThanDays?: number | null;
  readonly source?: string | null;
  readonly lastActiveBefore?: number | null;
  readonly lastActiveAfter?: number | null;
  readonly startedBefore?: number | null;
  readonly startedAfter?: number | null;
  /** A part of the title; case does not matter and wildcards are literal. So are the other two. */
  readonly titleLike?: string | null;
  readonly modelLike?: string | null;
  readonly branchLike?: string | null;
  readonly endReason?: string | null;
  readonly cwdPrefix?: string | null;
  readonly provider?: string | null;
  readonly userId?: string | null;
  readonly chatId?: string | null;
  readonly chatType?: string | null;
  readonly minMessages?: number | null;
  readonly maxMessages?: number | null;
  readonly minTokens?: number | null;
  readonly maxTokens?: number | null;
  readonly minCost?: number | null;
  readonly maxCost?: number | null;
  readonly minToolCalls?: number | null;
  readonly maxToolCalls?: number | null;
  /** True: only archived ones; false, and when absent: none of them; null: both. */
  readonly archived?: boolean | null;
  /** Pinned conversations too. Default false. */
  readonly includePinned?: boolean;
}

/** What a filter is called by the parts, where it is called otherwise. */
const NAME_OF: Readonly<Partial<Record<keyof PruneFilters, keyof RetentionFilter>>> = {
  lastActiveBefore: "lastActiveBeforeSeconds",
  lastActiveAfter: "lastActiveAfterSeconds",
  startedBefore: "startedBeforeSeconds",
  startedAfter: "startedAfterSeconds",
  minMessages: "minMessageCount",
  maxMessages: "maxMessageCount",
  minCost: "minCostUsd",
  maxCost: "maxCostUsd",
  minToolCalls: "minToolCallCount",
  maxToolCalls: "maxToolCallCount",
};

/** Names of filters, but for the age and the source, which have places of their own. */
export const FILTER_NAMES: readonly (keyof PruneFilters)[] = [
  "lastActiveBefore",
  "lastActiveAfter",
  "startedBefore",
  "startedAfter",
  "titleLike",
  "modelLike",
  "branchLike",
  "endReason",
  "cwdPrefix",
  "provider",
  "userId",
  "chatId",
  "chatType",
  "minMessages",
  "maxMessages",
  "minTokens",
  "maxTokens",
  "minCost",
  "maxCost",
  "minToolCalls",
  "maxToolCalls",
  "archived",
  "includePinned",
];

function archivedOf(archived: unknown): NonNullable<RetentionFilter["archived"]> {
  if (archived === null) return "include";
  if (archived === undefined || typeof archived === "boolean") return archived ? "only" : "hide";
  throw new TypeError(`SessionDB: archived must be true, false or null, not ${JSON.stringify(archived)}.`);
}

/** The filter that the parts take. */
export function retentionFilter({ archived, ...filters }: PruneFilters): RetentionFilter {
  const named = Object.entries(given(filters)).map(([name, value]) => [
    NAME_OF[name as keyof PruneFilters] ?? name,
    value,
  ]);
  return { ...(Object.fromEntries(named) as RetentionFilter), archived: archivedOf(archived) };
}
