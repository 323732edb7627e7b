import type { SqlValue } from "@hermes/state-schema";
import type { JsonValue } from "./json-value.js";
import { parsePythonJson } from "./parse-python-json.js";
import { pythonJson } from "./python-json.js";

/** What `tool_calls` is bound as, and by how much it raises the session's counter. */
export interface EncodedToolCalls {
  readonly text: string | null;
  readonly count: number;
}

const NONE: EncodedToolCalls = { text: null, count: 0 };

function parseLayers(text: string): JsonValue | undefined {
  let value: JsonValue = text;
  try {
    while (typeof value === "string" && value !== "") value = parsePythonJson(value);
  } catch {
    // Not JSON at some layer: the caller keeps the text as it was given.
    return undefined;
  }
  return value;
}

/**
 * Encodes tool calls: a JSON array, or NULL when there are none. Text is parsed first, so that it is never encoded
 * twice; text that is no JSON is kept as it is, and the reader reports it.
 */
export function encodeToolCalls(calls: JsonValue | undefined): EncodedToolCalls {
  if (calls === undefined || calls === null || calls === "" || calls === false || calls === 0) return NONE;
  const value = typeof calls === "string" ? parseLayers(calls) : calls;
  if (value === undefined) return { text: calls as string, count: 0 };
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return NONE;
  return { text: pythonJson(value), count: Array.isArray(value) ? value.length : 1 };
}

/**
 * Reads `tool_calls`.
 *
 * @param damaged - Called when the cell does not hold a list.
 * @returns The list; null when there is none; an empty list when it cannot be read.
 */
export function decodeToolCalls(cell: SqlValue | undefined, damaged?: () => void): readonly JsonValue[] | null {
  if (cell === null || cell === undefined || cell === "") return null;
  const value = typeof cell === "string" ? parseLayers(cell) : undefined;
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (typeof value === "object" && value !== null) return [value];
  damaged?.();
  return [];
}
