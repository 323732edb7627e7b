import type { ForeignUsage } from "../foreign-session.js";
import { countOf, objectOf, textOf } from "../json.js";
import type { CodexLine } from "./codex-line.js";

/**
 * The tokens of each request. The program tells the same sums several times, so a line whose total has not moved is no
 * request; the input it gives includes what was cached.
 */
export function codexUsage(lines: readonly CodexLine[]): readonly ForeignUsage[] {
  const used: ForeignUsage[] = [];
  let model = "unknown";
  let before = "";
  for (const { type, kind, payload } of lines) {
    if (type === "turn_context") model = textOf(payload["model"]) ?? model;
    if (type !== "event_msg" || kind !== "token_count") continue;
    const info = objectOf(payload["info"]);
    const last = objectOf(info["last_token_usage"]);
    const total = JSON.stringify(info["total_token_usage"] ?? info);
    if (total === before || Object.keys(last).length === 0) continue;
    before = total;
    const cached = countOf(last["cached_input_tokens"]);
    used.push({
      model,
      inputTokens: Math.max(0, countOf(last["input_tokens"]) - cached),
      outputTokens: countOf(last["output_tokens"]),
      cacheReadTokens: cached,
      cacheWriteTokens: countOf(last["cache_write_input_tokens"]),
      reasoningTokens: countOf(last["reasoning_output_tokens"]),
      costUsd: null,
    });
  }
  return used;
}
