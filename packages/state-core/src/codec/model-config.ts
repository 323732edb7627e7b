import type { SqlValue } from "@hermes/state-schema";
import { unwrapJsonObject } from "./json-object.js";
import type { JsonObject } from "./json-value.js";
import { pythonJson } from "./python-json.js";

/** Encodes `model_config`: a JSON object, or NULL when it is empty (docs/sharing.md). */
export function encodeModelConfig(config: JsonObject | null | undefined): string | null {
  return config === null || config === undefined || Object.keys(config).length === 0 ? null : pythonJson(config);
}

/**
 * Reads `model_config` tolerantly: what is no object reads as an empty one.
 *
 * @param damaged - Called when the cell holds something else than an object.
 */
export function decodeModelConfig(cell: SqlValue | undefined, damaged?: () => void): JsonObject {
  if (cell === null || cell === undefined || cell === "") return {};
  const value = typeof cell === "string" ? unwrapJsonObject(cell, 0) : undefined;
  if (value === undefined) damaged?.();
  return value ?? {};
}

/**
 * Merges a patch into a config key by key; a null value deletes its key. The config also carries the lineage markers,
 * so it is merged and never replaced (docs/sharing.md).
 */
export function mergeModelConfig(config: JsonObject, patch: JsonObject): JsonObject {
  const kept = Object.entries({ ...config, ...patch }).filter(([key]) => patch[key] !== null);
  return Object.fromEntries(kept);
}
