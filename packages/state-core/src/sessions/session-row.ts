import type { JsonObject } from "../codec/json-value.js";
import type { Maybe } from "../codec/maybe.js";

/** One session as the file holds it, without its prompt. Moments are REAL seconds since the epoch. */
export interface SessionRow {
  readonly id: string;
  readonly source: Maybe<string>;
  readonly createdSource: Maybe<string>;
  readonly userId: Maybe<string>;
  readonly sessionKey: Maybe<string>;
  readonly chatId: Maybe<string>;
  readonly chatType: Maybe<string>;
  readonly threadId: Maybe<string>;
  readonly displayName: Maybe<string>;
  readonly originJson: Maybe<string>;
  readonly expiryFinalized: boolean | undefined;
  readonly model: Maybe<string>;
  readonly modelConfig: Maybe<JsonObject>;
  readonly systemPromptHash: Maybe<string>;
  readonly parentSessionId: Maybe<string>;
  readonly startedAtSeconds: Maybe<number>;
  readonly endedAtSeconds: Maybe<number>;
  readonly endReason: Maybe<string>;
  readonly messageCount: Maybe<number>;
  readonly toolCallCount: Maybe<number>;
  readonly inputTokens: Maybe<number>;
  readonly outputTokens: Maybe<number>;
  readonly cacheReadTokens: Maybe<number>;
  readonly cacheWriteTokens: Maybe<number>;
  readonly reasoningTokens: Maybe<number>;
  readonly cwd: Maybe<string>;
  readonly gitBranch: Maybe<string>;
  readonly gitRepoRoot: Maybe<string>;
  readonly gitMetadataGeneration: Maybe<number>;
  readonly billingProvider: Maybe<string>;
  readonly billingBaseUrl: Maybe<string>;
  readonly billingMode: Maybe<string>;
  readonly estimatedCostUsd: Maybe<number>;
  readonly actualCostUsd: Maybe<number>;
  readonly costStatus: Maybe<string>;
  readonly costSource: Maybe<string>;
  readonly pricingVersion: Maybe<string>;
  readonly title: Maybe<string>;
  readonly titleSource: Maybe<string>;
  readonly lastActivityAtSeconds: Maybe<number>;
  readonly lastActivityDescription: Maybe<string>;
  readonly lastActivityProvenance: Maybe<string>;
  readonly apiCallCount: Maybe<number>;
  readonly handoffState: Maybe<string>;
  readonly handoffPlatform: Maybe<string>;
  readonly handoffError: Maybe<string>;
  readonly compressionFailureCooldownUntilSeconds: Maybe<number>;
  readonly compressionFailureError: Maybe<string>;
  readonly compressionFallbackStreak: Maybe<number>;
  readonly compressionIneffectiveCount: Maybe<number>;
  readonly compressionRecoveryDeadlineSeconds: Maybe<number>;
  readonly compressionOverloadStreak: Maybe<number>;
  readonly profileName: Maybe<string>;
  readonly transportProfile: Maybe<string>;
  readonly rewindCount: Maybe<number>;
  readonly archived: boolean | undefined;
  readonly autoArchived: boolean | undefined;
  readonly pinned: boolean | undefined;
  readonly hidden: boolean | undefined;
  readonly lastReadAtSeconds: Maybe<number>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}

/** One session with what is stored apart from its row. */
export interface Session extends SessionRow {
  readonly systemPrompt: Maybe<string>;
  readonly toolNames: Maybe<readonly string[]>;
}
