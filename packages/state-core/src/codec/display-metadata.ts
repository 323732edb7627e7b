import type { SqlValue } from "@hermes/state-schema";
import { isJsonObject, unwrapJsonObject } from "./json-object.js";
import type { JsonObject } from "./json-value.js";
import { pythonJson } from "./python-json.js";

const OLD_LAYERS = 2;

/**
 * Encodes `display_metadata`: a JSON object, or NULL when it is empty.
 *
 * @param metadata - An object, or its JSON text.
 * @throws TypeError when it is neither.
 */
export function encodeDisplayMetadata(metadata: JsonObject | string | null | undefined): string | null {
  if (metadata === undefined || metadata === null || metadata === "") return null;
  const value = typeof metadata === "string" ? unwrapJsonObject(metadata, OLD_LAYERS) : metadata;
  if (!isJsonObject(value)) throw new TypeError("displayMetadata must be an object or the JSON text of one.");
  return Object.keys(value).length === 0 ? null : pythonJson(value);
}

/**
 * Reads `display_metadata` through the string layers that earlier writers added.
 *
 * @param damaged - Called when there is something else than an object.
 * @returns The object; null when there is none; undefined when it cannot be read. Never raw text.
 */
export function decodeDisplayMetadata(cell: SqlValue | undefined, damaged?: () => void): JsonObject | null | undefined {
  if (cell === null || cell === undefined || cell === "") return null;
  const value = typeof cell === "string" ? unwrapJsonObject(cell, OLD_LAYERS) : undefined;
  if (value === undefined) damaged?.();
  return value;
}
