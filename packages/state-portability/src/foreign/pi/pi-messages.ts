import type { ContentPart, JsonValue, MessageContent } from "@hermes/state-core";
import { exactJson } from "../../lines/exact-json.js";
import type { ForeignMessage, ForeignToolCall, ForeignUsage } from "../foreign-session.js";
import { countOf, listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { contentOfParts, dataUrl, imagePart, textPart } from "../parts.js";
import type { PiEntry } from "./pi-entry.js";

/** Spellings of a call that readers of these files accept. */
const CALLS: ReadonlySet<unknown> = new Set([
  "toolCall",
  "tool_call",
  "toolUse",
  "tool_use",
  "functionCall",
  "function_call",
]);

/** The message of an entry; undefined for entries that only keep state. */
export function piMessage(entry: PiEntry): ForeignMessage | undefined {
  const { id: uid, seconds, json, type } = entry;
  switch (type) {
    case "message":
      return roleMessage(entry, objectOf(json["message"]));
    case "compaction":
    case "branch_summary":
      return { uid, role: "user", content: textOf(json["summary"]) ?? null, seconds, summary: true };
    case "custom_message":
      return { uid, role: "user", content: contentOf(json["content"]), seconds, notice: true };
    default:
      return undefined;
  }
}

function roleMessage({ id: uid, seconds }: PiEntry, message: Json): ForeignMessage | undefined {
  const content = contentOf(message["content"]);
  switch (message["role"]) {
    case "user":
      return { uid, role: "user", content, seconds };
    case "assistant":
      return { uid, seconds, ...reply(uid, message) };
    case "toolResult":
      return {
        uid,
        role: "tool",
        content,
        seconds,
        toolCallId: textOf(message["toolCallId"]),
        toolName: textOf(message["toolName"]),
        ...(message["isError"] === true && { metadata: { is_error: true } }),
      };
    case "bashExecution":
      return { uid, role: "user", seconds, ...bash(message) };
    case "custom":
    case "hookMessage":
      return { uid, role: "user", content, seconds, notice: true };
    default:
      // A speaker that is not known here: what was said is kept, and is no turn of the user.
      return content === null || content === "" ? undefined : { uid, role: "system", content, seconds, notice: true };
  }
}

/** A command that the user ran beside the talk, with what it printed. */
function bash(message: Json): Pick<ForeignMessage, "content" | "metadata"> {
  const command = textOf(message["command"]) ?? "";
  const output = textOf(message["output"]);
  const code = message["exitCode"];
  return {
    content: output === undefined ? `!${command}` : `!${command}\n${output}`,
    metadata: { command, ...(typeof code === "number" && { exit_code: code }) },
  };
}

function reply(uid: string, message: Json): Omit<ForeignMessage, "uid" | "seconds"> {
  const blocks = listOf(message["content"]).map(objectOf);
  const thoughts = blocks.filter(({ type }) => type === "thinking");
  const said = blocks.filter(({ type }) => type !== "thinking" && !CALLS.has(type));
  const reasons = thoughts.flatMap(({ thinking }) => textOf(thinking) ?? []);
  const error = textOf(message["errorMessage"]);
  return {
    role: "assistant",
    content: typeof message["content"] === "string" ? message["content"] : contentOfParts(said.map(partOf)),
    toolCalls: blocks
      .filter(({ type }) => CALLS.has(type))
      .map((block, index) => callOf(block, `call-${uid}-${index}`)),
    reasoning: reasons.length > 0 ? reasons.join("\n\n") : undefined,
    reasoningDetails: thoughts.length > 0 ? (thoughts as readonly JsonValue[]) : undefined,
    finishReason: textOf(message["stopReason"]),
    ...(error !== undefined && { metadata: { error } }),
  };
}

/** @param unnamed - The id of a call that has none. */
function callOf(block: Json, unnamed: string): ForeignToolCall {
  const given = block["arguments"] ?? block["input"] ?? block["args"] ?? {};
  return {
    id: textOf(block["id"]) ?? textOf(block["toolCallId"]) ?? textOf(block["callId"]) ?? unnamed,
    name: textOf(block["name"]) ?? textOf(block["toolName"]) ?? "unknown",
    arguments: typeof given === "string" ? given : exactJson(given),
  };
}

function contentOf(content: unknown): MessageContent {
  return typeof content === "string" ? content : contentOfParts(listOf(content).map(objectOf).map(partOf));
}

function partOf(block: Json): ContentPart {
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") return textPart(text);
  if (type === "image" && typeof data === "string") return imagePart(dataUrl(textOf(mimeType) ?? "image/png", data));
  return block as ContentPart;
}

/** The tokens of a reply; undefined for anything else. */
export function piUsage({ id, json }: PiEntry): ForeignUsage | undefined {
  const message = objectOf(json["message"]);
  if (message["role"] !== "assistant" || message["usage"] === undefined) return undefined;
  const usage = objectOf(message["usage"]);
  const cost = objectOf(usage["cost"])["total"];
  return {
    uid: id,
    model: textOf(message["model"]) ?? "unknown",
    inputTokens: countOf(usage["input"]),
    outputTokens: countOf(usage["output"]),
    cacheReadTokens: countOf(usage["cacheRead"]),
    cacheWriteTokens: countOf(usage["cacheWrite"]),
    reasoningTokens: 0,
    costUsd: typeof cost === "number" && Number.isFinite(cost) ? cost : null,
  };
}
