import type { ContentPart, JsonValue } from "@hermes/state-core";
import { exactJson } from "../../lines/exact-json.js";
import type { ForeignMessage, ForeignToolCall, ForeignUsage } from "../foreign-session.js";
import { countOf, listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { markUnanswered } from "../mark-unanswered.js";
import { contentOfParts, dataUrl, imagePart, textPart } from "../parts.js";
import type { ClaudeLine } from "./claude-line.js";
import { blocksOf, isCompaction, messageOf } from "./claude-line.js";

/** What a run of lines says. */
export interface ClaudeTalk {
  readonly messages: readonly ForeignMessage[];
  readonly usage: readonly ForeignUsage[];
  readonly model: string | undefined;
}

/** Turns the lines of one path into messages: a reply that is split over lines is one, each result is its own. */
export function claudeTalk(lines: readonly ClaudeLine[]): ClaudeTalk {
  const replies = new Map<string, ClaudeLine[]>();
  const messages: (ForeignMessage | (() => ForeignMessage))[] = [];
  let compactedUpTo = 0;
  const tools = new Map<string, string>();
  for (const line of lines) {
    const message = messageOf(line);
    if (isCompaction(line)) compactedUpTo = messages.length;
    if (!message) continue;
    if (line.type === "user") {
      messages.push(...userMessages(line, message, tools));
      continue;
    }
    for (const block of blocksOf(message)) {
      const name = textOf(block["name"]);
      if (block["type"] === "tool_use" && name !== undefined) tools.set(String(block["id"]), name);
    }
    const id = textOf(message["id"]) ?? textOf(line.json["requestId"]) ?? line.id;
    const parts = replies.get(id);
    if (parts) parts.push(line);
    else {
      const first = [line];
      replies.set(id, first);
      messages.push(() => reply(first));
    }
  }
  const whole = messages.map((message, index): ForeignMessage => {
    const value = typeof message === "function" ? message() : message;
    return index < compactedUpTo ? { ...value, compacted: true } : value;
  });
  const used = [...replies.values()].map(usageOf).filter((usage) => usage !== undefined);
  return {
    messages: markUnanswered(whole),
    usage: used,
    model: used.at(-1)?.model,
  };
}

function userMessages(line: ClaudeLine, message: Json, tools: ReadonlyMap<string, string>): ForeignMessage[] {
  const blocks = blocksOf(message);
  const results = blocks.filter((block) => block["type"] === "tool_result");
  const said = blocks.filter((block) => block["type"] !== "tool_result");
  const found = results.map((block, index) => resultOf(line, block, index, tools));
  if (said.length === 0) return found;
  const talk: ForeignMessage = {
    uid: results.length === 0 ? line.id : `${line.id}#text`,
    role: "user",
    content: contentOfParts(said.flatMap(partsOf)),
    seconds: line.seconds,
    ...(line.json["isCompactSummary"] === true && { summary: true }),
    ...(line.json["isMeta"] === true && { notice: true }),
  };
  return [...found, talk];
}

function resultOf(line: ClaudeLine, block: Json, index: number, tools: ReadonlyMap<string, string>): ForeignMessage {
  const call = textOf(block["tool_use_id"]);
  const content = block["content"];
  return {
    uid: index === 0 ? line.id : `${line.id}#${index}`,
    role: "tool",
    content: typeof content === "string" ? content : contentOfParts(listOf(content).map(objectOf).flatMap(partsOf)),
    seconds: line.seconds,
    toolCallId: call,
    toolName: call === undefined ? undefined : tools.get(call),
    ...(block["is_error"] === true && { metadata: { is_error: true } }),
  };
}

/** Blocks of text and pictures; of others the JSON stays, so that nothing said is lost. */
function partsOf(block: Json): readonly ContentPart[] {
  const { type, text, source } = block;
  if (type === "text" && typeof text === "string") return [textPart(text)];
  const { type: kind, media_type: mediaType, data, url } = objectOf(source);
  if (type === "image" && kind === "base64" && typeof data === "string") {
    return [imagePart(dataUrl(textOf(mediaType) ?? "image/png", data))];
  }
  if (type === "image" && typeof url === "string") return [imagePart(url)];
  return [block as ContentPart];
}

function reply(lines: readonly ClaudeLine[]): ForeignMessage {
  const blocks = lines.flatMap((line) => blocksOf(messageOf(line) ?? {}));
  const thoughts = blocks.filter(isThought);
  const said = blocks.filter((block) => !isThought(block) && block["type"] !== "tool_use");
  const reasons = thoughts.flatMap((block) => textOf(block["thinking"]) ?? []);
  const stops = lines.flatMap((line) => textOf(messageOf(line)?.["stop_reason"]) ?? []);
  const [first] = lines;
  return {
    uid: first?.id ?? "",
    role: "assistant",
    content: contentOfParts(said.flatMap(partsOf)),
    seconds: first?.seconds,
    toolCalls: blocks
      .filter((block) => block["type"] === "tool_use")
      .map((block, index) => callOf(block, `call-${first?.id ?? ""}-${index}`)),
    reasoning: reasons.length > 0 ? reasons.join("\n\n") : undefined,
    reasoningDetails: thoughts.length > 0 ? (thoughts as readonly JsonValue[]) : undefined,
    finishReason: stops.at(-1),
  };
}

function isThought(block: Json): boolean {
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}

/** @param unnamed - The id of a call that has none. */
function callOf(block: Json, unnamed: string): ForeignToolCall {
  return {
    id: textOf(block["id"]) ?? unnamed,
    name: textOf(block["name"]) ?? "unknown",
    arguments: exactJson(block["input"] ?? {}),
  };
}

/** The program repeats the usage of a reply in each of its lines; the last one is final. */
function usageOf(lines: readonly ClaudeLine[]): ForeignUsage | undefined {
  const messages = lines.map((line) => messageOf(line) ?? {});
  const usage = messages.map(({ usage: given }) => given).findLast((given) => given !== undefined && given !== null);
  const model = messages.map(({ model: named }) => textOf(named)).findLast((named) => named !== undefined) ?? "unknown";
  if (usage === undefined || model === "<synthetic>") return undefined;
  const tokens = objectOf(usage);
  return {
    uid: lines[0]?.id,
    model,
    inputTokens: countOf(tokens["input_tokens"]),
    outputTokens: countOf(tokens["output_tokens"]),
    cacheReadTokens: countOf(tokens["cache_read_input_tokens"]),
    cacheWriteTokens: countOf(tokens["cache_creation_input_tokens"]),
    reasoningTokens: 0,
    costUsd: null,
  };
}
