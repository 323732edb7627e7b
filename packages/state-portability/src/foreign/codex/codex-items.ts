import type { ContentPart, JsonValue, MessageContent } from "@hermes/state-core";
import { exactJson } from "../../lines/exact-json.js";
import { isObject } from "../../state-jsonl/parse-record.js";
import type { ForeignMessage, ForeignToolCall } from "../foreign-session.js";
import { listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";
import { contentOfParts, imagePart, textPart } from "../parts.js";
import type { CodexLine } from "./codex-line.js";

/** How texts begin that the program puts before the user's own. */
const WRAPPERS =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|skill|collaboration_mode|INSTRUCTIONS)[\s>_]|# AGENTS\.md instructions for )/;
/** Tags of that kind that are not known here. */
const TAG = /^\s*<[a-z]+(?:_[a-z]+)+[\s>]/;

/** Text and pictures of an item; of other parts the JSON stays. */
export function contentOf(value: unknown): MessageContent {
  if (typeof value === "string") return value;
  if (isObject(value)) return exactJson(value);
  return contentOfParts(listOf(value).map(objectOf).map(partOf));
}

function partOf(part: Json): ContentPart {
  const { type, text, image_url: url } = part;
  if ((type === "input_text" || type === "output_text") && typeof text === "string") return textPart(text);
  if (type === "input_image" && typeof url === "string") return imagePart(url);
  return part as ContentPart;
}

/**
 * What the user said in an item, without parts that the program wrote in the user's name.
 *
 * @param echoes - What the surface was told that the user typed; empty where the file does not tell.
 * @returns Undefined when the user said nothing.
 */
export function typedBy(payload: Json, echoes: ReadonlySet<string>): MessageContent | undefined {
  const { content } = payload;
  const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : listOf(content).map(objectOf);
  const typed = parts.filter((part) => !isWrapper(textOf(part["text"]) ?? "", echoes));
  return typed.length === 0 && parts.length > 0 ? undefined : contentOfParts(typed.map(partOf));
}

function isWrapper(text: string, echoes: ReadonlySet<string>): boolean {
  if (echoes.has(text)) return false;
  return WRAPPERS.test(text) || (echoes.size > 0 && TAG.test(text));
}

/**
 * The call that an item makes; undefined for items that make none.
 *
 * @param unnamed - The id of a call that has none.
 */
export function callOf({ kind, payload }: CodexLine, unnamed: string): ForeignToolCall | undefined {
  const id = textOf(payload["call_id"]) ?? unnamed;
  switch (kind) {
    case "function_call":
      return { id, name: textOf(payload["name"]) ?? "unknown", arguments: textOf(payload["arguments"]) ?? "{}" };
    case "custom_tool_call":
      return { id, name: textOf(payload["name"]) ?? "unknown", arguments: textOf(payload["input"]) ?? "" };
    case "local_shell_call":
    case "web_search_call":
    case "image_generation_call":
    case "tool_search_call":
      return { id, name: kind.replace(/_call$/, ""), arguments: exactJson(payload["action"] ?? payload) };
    default:
      return undefined;
  }
}

/** True for an item that answers a call. */
export function isAnswer(kind: string): boolean {
  return kind === "function_call_output" || kind === "custom_tool_call_output" || kind === "tool_search_output";
}

/** The answer to a call as a message. */
export function answerOf(
  { payload, seconds }: CodexLine,
  tools: ReadonlyMap<string, string>,
): Omit<ForeignMessage, "uid"> {
  const call = textOf(payload["call_id"]);
  return {
    role: "tool",
    content: contentOf(payload["output"]),
    seconds,
    toolCallId: call,
    toolName: call === undefined ? undefined : tools.get(call),
  };
}

/** What a reasoning item says in words, and the item itself for the next request. */
export function thoughtOf(payload: Json): { readonly text: string | undefined; readonly item: JsonValue } {
  const texts = [...listOf(payload["summary"]), ...listOf(payload["content"])].map((part) =>
    textOf(objectOf(part)["text"]),
  );
  const said = texts.filter((text) => text !== undefined);
  return { text: said.length > 0 ? said.join("\n\n") : undefined, item: payload as JsonValue };
}
