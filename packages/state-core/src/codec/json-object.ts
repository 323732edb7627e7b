import type { JsonObject, JsonValue } from "./json-value.js";
import { parsePythonJson } from "./parse-python-json.js";

/** True for a JSON object, false for lists and everything else. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads a JSON object through as many layers of text as earlier writers wrapped it in.
 *
 * @param layers - How many times text may turn out to be text again.
 * @returns Undefined when there is no object inside.
 */
export function unwrapJsonObject(text: string, layers: number): JsonObject | undefined {
  let value: JsonValue = text;
  try {
    for (let layer = 0; layer <= layers && typeof value === "string"; layer++) value = parsePythonJson(value);
  } catch {
    // No JSON at some layer means no object; the caller says so.
    return undefined;
  }
  return isJsonObject(value) ? value : undefined;
}
