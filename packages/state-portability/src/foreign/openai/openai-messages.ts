import type { ContentPart, MessageContent } from "@hermes/state-core";
import { isObject } from "../../state-jsonl/parse-record.js";
import type { ForeignMessage, ForeignToolCall } from "../foreign-session.js";
import { listOf, objectOf, textOf } from "../json.js";
import type { Json } from "../json.js";

type Draft = Omit<ForeignMessage, "uid">;

const SYSTEM_ROLES: ReadonlySet<unknown> = new Set(["system", "developer"]);

/** True for a list of messages of the chat-completions API. */
export function isMessageList(value: unknown): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof objectOf(item)["role"] === "string");
}

/** The instructions that a talk begins with; others stay where they were given. */
export function leadingSystem(messages: readonly Json[]): string | undefined {
  const [first] = messages;
  return first && SYSTEM_ROLES.has(first["role"]) ? textOf(first["content"]) : undefined;
}

/** Messages of the chat-completions API; the old form of calls, which has no ids, is paired by position. */
export function openaiMessages(messages: readonly Json[]): readonly Draft[] {
  const tools = new Map<string, string>();
  let legacy: string | undefined;
  return messages.map((message, index): Draft => {
    const { role, name } = message;
    const content = message["content"] as MessageContent | undefined;
    if (role === "tool") {
      const id = textOf(message["tool_call_id"]);
      return {
        role: "tool",
        content: content ?? null,
        toolCallId: id,
        toolName: id === undefined ? undefined : tools.get(id),
      };
    }
    if (role === "function")
      return { role: "tool", content: content ?? null, toolCallId: legacy, toolName: textOf(name) };
    const toolCalls = callsOf(message, index);
    for (const call of toolCalls) tools.set(call.id, call.name);
    if (message["function_call"] !== undefined) legacy = toolCalls.at(-1)?.id;
    return {
      role: SYSTEM_ROLES.has(role) ? "system" : role === "assistant" ? "assistant" : "user",
      content: content ?? otherwise(message),
      toolCalls,
      ...(typeof name === "string" && { metadata: { name } }),
    };
  });
}

function callsOf(message: Json, index: number): readonly ForeignToolCall[] {
  const calls = listOf(message["tool_calls"])
    .map(objectOf)
    .map(({ id, function: called, custom }, position) => {
      const { name, arguments: given, input } = objectOf(called ?? custom);
      return {
        id: textOf(id) ?? `call-${index}-${position}`,
        name: textOf(name) ?? "unknown",
        arguments: textOf(given) ?? textOf(input) ?? "",
      };
    });
  const legacy = message["function_call"];
  if (legacy === undefined || legacy === null) return calls;
  const { name, arguments: given } = objectOf(legacy);
  return [...calls, { id: `call-${index}`, name: textOf(name) ?? "unknown", arguments: textOf(given) ?? "" }];
}

/** What a reply says where it has no content: why it was refused, or a recording. */
function otherwise({ refusal, audio }: Json): readonly ContentPart[] | null {
  const parts: ContentPart[] = [];
  if (typeof refusal === "string" && refusal !== "") parts.push({ type: "refusal", refusal, text: refusal });
  if (isObject(audio)) parts.push({ ...audio, type: "audio" });
  return parts.length > 0 ? parts : null;
}
