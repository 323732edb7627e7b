import { isJsonObject, isSaneSeconds, type JsonObject } from "@hermes/state-core";
import { checkSessionId, checkSessionKey } from "../key/check-session-key.js";
import { decodeSource } from "../source/decode-source.js";
import { cleanModelOverride } from "./clean-model-override.js";
import { decodeMetadata } from "./entry-metadata.js";
import type { EntryOptions } from "./entry-options.js";
import { EXACT_TIMES_KEY, readTime } from "./entry-times.js";
import type { RoutingEntry } from "./routing-entry.js";

/** An entry, or why there is none. */
export type DecodedEntry = { readonly entry: RoutingEntry } | { readonly skipped: string };

const KNOWN: ReadonlySet<string> = new Set([
  ..."session_key session_id created_at updated_at display_name platform chat_type metadata input_tokens".split(" "),
  ..."output_tokens cache_read_tokens cache_write_tokens total_tokens last_prompt_tokens".split(" "),
  ..."estimated_cost_usd cost_status expiry_finalized memory_flushed suspended resume_pending".split(" "),
  ..."resume_reason last_resume_marked_at active_turn_token active_turn_started_at is_fresh_reset".split(" "),
  ..."was_auto_reset auto_reset_reason reset_had_activity prev_session_id model_override origin".split(" "),
  EXACT_TIMES_KEY,
]);

function objection(key: string, json: unknown): string | undefined {
  const toKey = checkSessionKey(key);
  if (toKey !== undefined) return `its key is not safe: ${toKey}`;
  if (!isJsonObject(json)) return "it is no object";
  const toId = checkSessionId(json["session_id"]);
  if (toId !== undefined) return `its session id is not safe: ${toId}`;
  const inner = json["session_key"];
  const toInner = typeof inner === "string" ? checkSessionKey(inner) : undefined;
  return toInner === undefined ? undefined : `the key inside is not safe: ${toInner}`;
}

function text(json: JsonObject, key: string): string | null {
  const value = json[key];
  return typeof value === "string" && value !== "" ? value : null;
}

function amount(json: JsonObject, key: string): number {
  const value = json[key];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function decodeUsage(json: JsonObject): Pick<RoutingEntry, UsageKey> {
  return {
    inputTokens: amount(json, "input_tokens"),
    outputTokens: amount(json, "output_tokens"),
    cacheReadTokens: amount(json, "cache_read_tokens"),
    cacheWriteTokens: amount(json, "cache_write_tokens"),
    totalTokens: amount(json, "total_tokens"),
    lastPromptTokens: amount(json, "last_prompt_tokens"),
    estimatedCostUsd: amount(json, "estimated_cost_usd"),
    costStatus: text(json, "cost_status") ?? "unknown",
  };
}

type UsageKey =
  | "inputTokens"
  | "outputTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "totalTokens"
  | "lastPromptTokens"
  | "estimatedCostUsd"
  | "costStatus";

/** A token without its time is no mark, nor is a time without its token. */
function decodeTurn(
  json: JsonObject,
  zone: string | undefined,
): Pick<RoutingEntry, "activeTurnToken" | "activeTurnStartedAtSeconds"> {
  const activeTurnToken = text(json, "active_turn_token");
  const startedAt = activeTurnToken === null ? undefined : readTime(json, "active_turn_started_at", zone);
  if (startedAt === undefined) return { activeTurnToken: null, activeTurnStartedAtSeconds: null };
  return { activeTurnToken, activeTurnStartedAtSeconds: startedAt };
}

/** What nobody here knows; also a platform that is not served, to be written back as it was. */
function decodeUnknown(json: JsonObject, platform: string | null): JsonObject {
  const keys = Object.keys(json).filter((key) => !KNOWN.has(key));
  if (platform === null && text(json, "platform") !== null) keys.push("platform");
  return keys.length === 0 ? {} : Object.fromEntries(keys.map((key) => [key, json[key] ?? null]));
}

/**
 * Reads a stored entry. One that names no session that is safe to use is skipped; everything else falls back to what a
 * new entry has, so that one bad value does not cost a conversation.
 *
 * @param key - The key it is stored under; it counts, not the one inside.
 * @param json - The stored object.
 * @param savedAtSeconds - When it was saved, for times that cannot be read. REAL seconds.
 * @returns The entry, or why it was skipped. Source of the rule: GWS-02.
 */
export function decodeEntry(
  key: string,
  json: unknown,
  savedAtSeconds?: number,
  options: EntryOptions = {},
): DecodedEntry {
  const skipped = objection(key, json);
  if (skipped !== undefined || !isJsonObject(json)) return { skipped: skipped ?? "it is no object" };
  const { zone, knownPlatforms } = options;
  const savedAt = isSaneSeconds(savedAtSeconds) ? savedAtSeconds : 0;
  const updatedAtSeconds = readTime(json, "updated_at", zone) ?? savedAt;
  const named = text(json, "platform");
  const platform = named !== null && (knownPlatforms?.has(named) ?? true) ? named : null;
  return {
    entry: {
      sessionKey: key,
      sessionId: text(json, "session_id") ?? "",
      createdAtSeconds: readTime(json, "created_at", zone) ?? updatedAtSeconds,
      updatedAtSeconds,
      displayName: text(json, "display_name"),
      platform,
      chatType: text(json, "chat_type") ?? "dm",
      origin: decodeSource(json["origin"]) ?? null,
      ...decodeMetadata(json["metadata"]),
      ...decodeUsage(json),
      expiryFinalized: (json["expiry_finalized"] ?? json["memory_flushed"]) === true,
      suspended: json["suspended"] === true,
      resumePending: json["resume_pending"] === true,
      resumeReason: text(json, "resume_reason"),
      lastResumeMarkedAtSeconds: readTime(json, "last_resume_marked_at", zone) ?? null,
      ...decodeTurn(json, zone),
      isFreshReset: json["is_fresh_reset"] === true,
      wasAutoReset: json["was_auto_reset"] === true,
      autoResetReason: text(json, "auto_reset_reason"),
      resetHadActivity: json["reset_had_activity"] === true,
      previousSessionId: text(json, "prev_session_id"),
      modelOverride: cleanModelOverride(json["model_override"]),
      unknown: decodeUnknown(json, platform),
    },
  };
}
