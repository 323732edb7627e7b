import { isoTime, type JsonObject, type MessageRow, toolCallParts } from "@hermes/state-core";
import { shownLine, shownText, wordsOf } from "./shown-text.js";

/** Rows that were taken back are nothing the agent should build on, hidden ones are never shown (SEA-04). */
export function isShown(row: MessageRow): boolean {
  return row.displayKind !== "hidden" && (row.active !== false || row.compacted === true);
}

/**
 * A message as an agent sees it.
 *
 * @param most - Characters of its text.
 * @param anchorId - The message that everything is about.
 */
export function showMessage(row: MessageRow, most: number, anchorId?: number): JsonObject {
  const { text, cut } = shownText(wordsOf(row.content), most);
  const calls = (row.toolCalls ?? []).flatMap((call) => toolCallParts(call).name ?? []);
  const toolName = shownLine(row.toolName);
  return {
    id: row.id,
    role: row.role,
    content: text,
    timestamp: isoTime(row.timestampSeconds) ?? null,
    ...(toolName !== null && { tool_name: toolName }),
    ...(calls.length > 0 && { tool_calls: calls.map((name) => shownLine(name)) }),
    ...(cut && { truncated: true }),
    ...(row.id === anchorId && { anchor: true }),
  };
}
