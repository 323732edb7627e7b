import type { JsonObject } from "@hermes/state-core";
import type { MessageSource } from "../source/message-source.js";

/** The model a peer chose for its conversation. Credentials are never part of it. */
export interface ModelOverride {
  readonly model?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
}

/** What was asked for a session before its row existed; applied in the transaction that makes the row (GWS-11). */
export interface PendingProperties {
  readonly title?: string;
  readonly hidden?: boolean;
  readonly pinned?: boolean;
  readonly archived?: boolean;
}

/** One step of a route: what it led to, and why. */
export interface RouteStep {
  /** REAL seconds. */
  readonly atSeconds: number;
  /** created, reset, switched, advanced, recovered, suspended, resume_pending, upgraded_key, dropped, ... */
  readonly what: string;
  readonly sessionId: string;
  readonly previousSessionId?: string;
  /** idle, daily, suspended, session_reset, compression, restart_interrupted, ... */
  readonly why?: string;
}

/** A route in memory: which session a peer talks in, and what the gateway keeps beside. Never changed in place. */
export interface RoutingEntry {
  readonly sessionKey: string;
  readonly sessionId: string;
  /** REAL seconds. */
  readonly createdAtSeconds: number;
  /** REAL seconds of the last real activity; lookups and internal events do not move it (GWS-03). */
  readonly updatedAtSeconds: number;
  readonly displayName: string | null;
  /** Null where the stored value was none. */
  readonly platform: string | null;
  readonly chatType: string;
  readonly origin: MessageSource | null;
  /** The host's own, kept as given. */
  readonly metadata: JsonObject;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
  readonly lastPromptTokens: number;
  readonly estimatedCostUsd: number;
  readonly costStatus: string;
  readonly expiryFinalized: boolean;
  readonly suspended: boolean;
  readonly resumePending: boolean;
  readonly resumeReason: string | null;
  readonly lastResumeMarkedAtSeconds: number | null;
  /** 32 hex digits while a turn runs; null together with its time. */
  readonly activeTurnToken: string | null;
  readonly activeTurnStartedAtSeconds: number | null;
  readonly isFreshReset: boolean;
  readonly wasAutoReset: boolean;
  readonly autoResetReason: string | null;
  readonly resetHadActivity: boolean;
  readonly previousSessionId: string | null;
  readonly modelOverride: ModelOverride | null;
  /** Stored inside the metadata, out of the host's sight. */
  readonly pending: PendingProperties;
  /** The last steps, oldest first, at most 20; stored as `pending` is. */
  readonly history: readonly RouteStep[];
  /** Restarts in a row that interrupted a turn here; a turn that ends well makes it 0 (GWS-06). Stored likewise. */
  readonly restartFailures: number;
  /** Keys of the stored object that nobody here knows; written back unchanged. */
  readonly unknown: JsonObject;
}
