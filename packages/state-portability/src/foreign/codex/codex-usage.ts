import { exactJson } from "../../lines/exact-json.js";
import type { ForeignUsage } from "../foreign-session.js";
import { countOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import type { CodexLine } from "./codex-line.js";

/**
 * The tokens of each request. The program tells the same sums several times, so a line whose total has not moved is no
 * request; the input it gives includes what was cached.
 *
 * @param counted - The messages that lines of counts stand after.
 */
export function codexUsage(lines: readonly CodexLine[], counted: ReadonlyMap<number, string>): readonly ForeignUsage[] {
  const used: ForeignUsage[] = [];
  let model = "unknown";
  let before: Json = {};
  for (const { type, kind, payload, line } of lines) {
    if (type === "turn_context") model = textOf(payload["model"]) ?? model;
    if (type !== "event_msg" || kind !== "token_count") continue;
    const info = objectOf(payload["info"]);
    const last = objectOf(info["last_token_usage"]);
    const total = objectOf(info["total_token_usage"] ?? info["last_token_usage"]);
    if (exactJson(total) === exactJson(before)) continue;
    const tokens = Object.keys(last).length > 0 ? last : difference(total, before);
    before = total;
    used.push({ uid: counted.get(line), model, ...countsOf(tokens) });
  }
  return used;
}

function countsOf(tokens: Json): Omit<ForeignUsage, "uid" | "model"> {
  const cached = countOf(tokens["cached_input_tokens"]);
  return {
    inputTokens: Math.max(0, countOf(tokens["input_tokens"]) - cached),
    outputTokens: countOf(tokens["output_tokens"]),
    cacheReadTokens: cached,
    cacheWriteTokens: countOf(tokens["cache_write_input_tokens"]),
    reasoningTokens: countOf(tokens["reasoning_output_tokens"]),
    costUsd: null,
  };
}

/** Where only the running sum is told, a request is what it grew by. */
function difference(total: Json, before: Json): Json {
  return Object.fromEntries(Object.keys(total).map((name) => [name, countOf(total[name]) - countOf(before[name])]));
}
