/** Which model answered, and who is billed for it. Absent, null and empty mean unknown. */
export interface UsageRoute {
  readonly model?: string | null;
  readonly billingProvider?: string | null;
  readonly billingBaseUrl?: string | null;
  readonly billingMode?: string | null;
}

/** How the costs came about. Absent and null keep what is stored. */
export interface UsageTerms {
  /** Such as `estimated` or `actual`. */
  readonly costStatus?: string | null;
  readonly costSource?: string | null;
  readonly pricingVersion?: string | null;
}

/** Tokens, calls and costs. */
export interface UsageAmounts {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly apiCallCount?: number;
  /** US dollars. Null means unknown, which is not the same as nothing. */
  readonly estimatedCostUsd?: number | null;
  /** US dollars; null as above. */
  readonly actualCostUsd?: number | null;
}

/** What was used since the last record: amounts are added, an absent count of calls means one (COR-32). */
export interface UsageDelta extends UsageAmounts, UsageRoute, UsageTerms {
  /** Source of the session in case it has to be made; `unknown` when absent. */
  readonly source?: string;
}

/** What was used in all: amounts replace what is stored, absent ones keep it. */
export type UsageTotals = UsageDelta;

/** Usage of work beside the conversation, such as a review or a title. */
export type AuxiliaryUsage = Omit<UsageDelta, "source" | "pricingVersion">;
