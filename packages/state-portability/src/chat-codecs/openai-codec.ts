import type { JsonObject, JsonValue, MessageContent } from "@hermes/state-core";
import type { ExportCodec } from "../export/export-codec.js";
import type { ViewedMessage } from "../rows/view-message.js";
import { exportableMessages } from "./exportable-messages.js";

/**
 * Messages of the chat-completions API, one conversation per line: `{"messages": [...], "metadata": {"id": ...}}`
 * (POR-04). A line's messages can be sent as they are.
 */
export const openaiCodec: ExportCodec = {
  format: "openai",
  mediaType: "application/jsonl",
  extension: ".jsonl",
  losses: [
    "Rewound and archived messages, and messages hidden from display, are left out.",
    "Times, token counts, costs and reasoning have no place in this format.",
    "Titles, models, folders and lineage are left out.",
  ],
  begin: () => [],
  *session(document) {
    const losses: Record<string, number> = {};
    yield '{"messages":[';
    const prompt = promptOf(document.session["system_prompt_hash"], document.prompts);
    let separator = "";
    if (prompt !== undefined) {
      yield JSON.stringify({ role: "system", content: prompt });
      separator = ",";
    }
    for (const message of exportableMessages(document, losses)) {
      yield separator + JSON.stringify(openaiMessage(message));
      separator = ",";
    }
    yield `],"metadata":${JSON.stringify({ id: document.id })}}\n`;
    return losses;
  },
  end: () => [],
};

function promptOf(hash: unknown, prompts: Readonly<Record<string, string>>): string | undefined {
  return typeof hash === "string" ? prompts[hash] : undefined;
}

/** Text or parts; only a reply that calls tools may be without. */
function contentOf(role: string, content: MessageContent, calls: boolean): JsonValue {
  if (typeof content === "string" || Array.isArray(content)) return content as JsonValue;
  if (content === null) return role === "assistant" && calls ? null : "";
  return JSON.stringify(content);
}

function openaiMessage(message: ViewedMessage): JsonObject {
  const { role, content, calls, toolCallId } = message;
  const toolCalls = calls.map(({ id, name, arguments: text }, index) => ({
    id: id ?? `call_${message.id}_${index}`,
    type: "function",
    function: { name, arguments: text },
  }));
  return {
    role,
    content: contentOf(role, content, toolCalls.length > 0),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(role === "tool" && { tool_call_id: toolCallId ?? "" }),
  };
}
