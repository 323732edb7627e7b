import type { MessageSource } from "../source/message-source.js";
import type { RoutingEntry } from "./routing-entry.js";

/** What a new route starts from. */
export interface NewEntry {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly source: MessageSource;
  /** The chat's or the person's name when not given. */
  readonly displayName?: string | null;
  /** REAL seconds. */
  readonly nowSeconds: number;
}

/** A route that begins now: nothing spent, nothing pending. */
export function newEntry(start: NewEntry): RoutingEntry {
  const { source } = start;
  return {
    sessionKey: start.sessionKey,
    sessionId: start.sessionId,
    createdAtSeconds: start.nowSeconds,
    updatedAtSeconds: start.nowSeconds,
    displayName: start.displayName ?? (source.chatName || source.userName || null),
    platform: source.platform,
    chatType: source.chatType || "dm",
    origin: source,
    metadata: {},
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 0,
    lastPromptTokens: 0,
    estimatedCostUsd: 0,
    costStatus: "unknown",
    expiryFinalized: false,
    suspended: false,
    resumePending: false,
    resumeReason: null,
    lastResumeMarkedAtSeconds: null,
    activeTurnToken: null,
    activeTurnStartedAtSeconds: null,
    isFreshReset: false,
    wasAutoReset: false,
    autoResetReason: null,
    resetHadActivity: false,
    previousSessionId: null,
    modelOverride: null,
    pending: {},
    history: [],
    restartFailures: 0,
    unknown: {},
  };
}
