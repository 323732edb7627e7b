import type { SqlValue } from "@hermes/state-schema";
import type { JsonValue } from "./json-value.js";
import { parsePythonJson } from "./parse-python-json.js";
import { pythonJson } from "./python-json.js";

/**
 * Encodes `reasoning_details` and the codex items: structures as JSON, text verbatim because it already is the JSON of
 * someone, and nothing (`""`, `0`, `false`, an empty list or object) as NULL.
 */
export function encodeJsonText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return null;
  if (typeof value === "string") return value;
  if (typeof value === "object" && Object.keys(value).length === 0) return null;
  return pythonJson(value);
}

/**
 * Reads a column of {@link encodeJsonText}.
 *
 * @returns The structure; the text itself when it is no JSON; null when there is none; undefined when it is no text.
 */
export function decodeJsonText(cell: SqlValue | undefined, damaged?: () => void): JsonValue | undefined {
  if (cell === null || cell === undefined) return null;
  if (typeof cell !== "string") {
    damaged?.();
    return undefined;
  }
  try {
    return parsePythonJson(cell);
  } catch {
    // Text was stored verbatim, so text comes back.
    return cell;
  }
}
