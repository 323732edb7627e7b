import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { isJsonObject } from "../codec/json-object.js";
import type { JsonObject, JsonValue } from "../codec/json-value.js";
import { parseRoutingJson } from "./parse-routing-json.js";

/** Bytes of a routing file that is read at all: a gateway of a hundred thousand peers stays below. */
const LIMIT_BYTES = 256 * 1024 * 1024;

/** What a routing file holds. */
export interface RoutingObjects {
  readonly entries: ReadonlyMap<string, JsonObject>;
  /** Keys whose values are no objects. */
  readonly skipped: readonly string[];
  /** Why nothing could be read of a file that is there. */
  readonly problem?: string;
  /** REAL seconds of its last change. */
  readonly changedAtSeconds: number;
}

function readText(path: string): { text: string; changedAtSeconds: number } | { problem: string } | undefined {
  let file: number;
  try {
    // Not waiting: a pipe of that name would never answer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : { problem: String(error) };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { problem: "it is no regular file" };
    if (stat.size > LIMIT_BYTES) return { problem: `it has ${String(stat.size)} bytes, which is too much for routes` };
    return { text: readFileSync(file, "utf8"), changedAtSeconds: stat.mtimeMs / 1000 };
  } catch (error) {
    return { problem: String(error) };
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a routing file of older gateways (`sessions.json`): an object of entries by session key. Keys that start with
 * "_" are remarks. A file that cannot be read is a problem to report, never an error.
 *
 * @returns Undefined when there is no such file. Source of the rule: GWS-02, SCH-04.
 */
export function readRoutingObjects(path: string): RoutingObjects | undefined {
  const read = readText(path);
  if (read === undefined) return undefined;
  const entries = new Map<string, JsonObject>();
  const skipped: string[] = [];
  if ("problem" in read) return { entries, skipped, problem: read.problem, changedAtSeconds: 0 };
  const { changedAtSeconds } = read;
  let parsed: JsonValue;
  try {
    parsed = parseRoutingJson(read.text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return { entries, skipped, problem: `it is no JSON: ${(error as Error).message}`, changedAtSeconds };
  }
  if (!isJsonObject(parsed)) return { entries, skipped, problem: "it is no JSON object", changedAtSeconds };
  for (const [key, value] of Object.entries(parsed)) {
    if (key.startsWith("_")) continue;
    if (isJsonObject(value)) entries.set(key, value);
    else skipped.push(key);
  }
  return { entries, skipped, changedAtSeconds };
}
