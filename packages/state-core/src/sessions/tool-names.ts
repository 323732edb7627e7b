import type { SqlValue } from "@hermes/state-schema";
import type { Maybe } from "../codec/maybe.js";
import { parsePythonJson } from "../codec/parse-python-json.js";

/** Reads a JSON array of tool names; undefined, and reported, when it is none. */
export function decodeToolNames(cell: SqlValue, damaged: () => void): Maybe<readonly string[]> {
  if (cell === null) return null;
  try {
    const names = typeof cell === "string" ? parsePythonJson(cell) : undefined;
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  } catch {
    // No JSON: reported below like everything else that is no list of names.
  }
  damaged();
  return undefined;
}
