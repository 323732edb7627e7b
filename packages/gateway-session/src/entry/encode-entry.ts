import type { JsonObject } from "@hermes/state-core";
import { encodeSource } from "../source/encode-source.js";
import { encodeModelOverride } from "./clean-model-override.js";
import { encodeMetadata } from "./entry-metadata.js";
import type { EntryOptions } from "./entry-options.js";
import { EXACT_TIMES_KEY, writeTimes } from "./entry-times.js";
import type { RoutingEntry } from "./routing-entry.js";

/** Token and time of a turn go together. */
function turnOf(entry: RoutingEntry): { readonly token: string | null; readonly startedAt: number | null } {
  const { activeTurnToken: token, activeTurnStartedAtSeconds: startedAt } = entry;
  return token === null || startedAt === null ? { token: null, startedAt: null } : { token, startedAt };
}

function encodeUsage(entry: RoutingEntry): JsonObject {
  return {
    input_tokens: entry.inputTokens,
    output_tokens: entry.outputTokens,
    cache_read_tokens: entry.cacheReadTokens,
    cache_write_tokens: entry.cacheWriteTokens,
    total_tokens: entry.totalTokens,
    last_prompt_tokens: entry.lastPromptTokens,
    estimated_cost_usd: entry.estimatedCostUsd,
    cost_status: entry.costStatus,
  };
}

function encodeState(entry: RoutingEntry): JsonObject {
  return {
    expiry_finalized: entry.expiryFinalized,
    suspended: entry.suspended,
    resume_pending: entry.resumePending,
    resume_reason: entry.resumeReason,
    is_fresh_reset: entry.isFreshReset,
    was_auto_reset: entry.wasAutoReset,
    auto_reset_reason: entry.autoResetReason,
    reset_had_activity: entry.resetHadActivity,
    prev_session_id: entry.previousSessionId,
  };
}

/**
 * An entry as the peer stores it, with the keys that nobody here knows. Credentials of a chosen model are left out.
 *
 * Source of the rule: GWS-02.
 */
export function encodeEntry(entry: RoutingEntry, options: EntryOptions = {}): JsonObject {
  const turn = turnOf(entry);
  const local = { created_at: entry.createdAtSeconds, updated_at: entry.updatedAtSeconds };
  const utc = { last_resume_marked_at: entry.lastResumeMarkedAtSeconds, active_turn_started_at: turn.startedAt };
  const { texts, exact } = writeTimes({ local, utc }, options.zone);
  const override = encodeModelOverride(entry.modelOverride);
  const known: JsonObject = {
    session_key: entry.sessionKey,
    session_id: entry.sessionId,
    ...texts,
    display_name: entry.displayName,
    platform: entry.platform ?? entry.unknown["platform"] ?? null,
    chat_type: entry.chatType,
    metadata: encodeMetadata(entry),
    ...encodeUsage(entry),
    ...encodeState(entry),
    active_turn_token: turn.token,
    ...(override && { model_override: override }),
    ...(entry.origin && { origin: encodeSource(entry.origin) }),
    [EXACT_TIMES_KEY]: exact,
  };
  // Written after what is known, and never over it.
  return { ...known, ...entry.unknown, ...known };
}
