import type { JsonValue } from "./json-value.js";

const NOT_JSON = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
const MARK = "\u0000python-number:";

/**
 * Parses JSON as Python writes it: also the bare words `NaN`, `Infinity` and `-Infinity`.
 *
 * @throws SyntaxError when it is not JSON.
 */
export function parsePythonJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (!text.includes("NaN") && !text.includes("Infinity")) throw error;
  }
  const marked = text.replace(NOT_JSON, (token) => (token.startsWith('"') ? token : JSON.stringify(MARK + token)));
  return JSON.parse(marked, (_key, value: JsonValue) =>
    typeof value === "string" && value.startsWith(MARK) ? Number(value.slice(MARK.length)) : value,
  ) as JsonValue;
}
