import type { JsonValue } from "../codec/json-value.js";
import type { Maybe } from "../codec/maybe.js";

function calledName(call: JsonValue): unknown {
  const { function: called, name } = call as { function?: { name?: unknown } | null; name?: unknown };
  return called?.name ?? name;
}

/**
 * True for assistant text that is nothing but `[name]` of a tool it calls: a placeholder that older writers stored
 * where the model had said nothing.
 *
 * @param text - Trimmed content.
 */
export function isToolMarker(text: string, toolCalls: Maybe<readonly JsonValue[]>): boolean {
  if (!toolCalls || !text.startsWith("[") || !text.endsWith("]")) return false;
  const name = text.slice(1, -1);
  return toolCalls.some((call) => typeof call === "object" && call !== null && calledName(call) === name);
}
