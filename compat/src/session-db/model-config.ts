import { isJsonObject } from "@hermes/state-core";
import type { JsonObject, JsonValue } from "@hermes/state-core";

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // No JSON, and so no config: the caller is told below.
    return undefined;
  }
}

/**
 * A model config as an object or as its JSON text.
 *
 * @throws TypeError for anything else.
 */
export function modelConfig(what: string, given: JsonObject | string): JsonObject {
  const config = typeof given === "string" ? parsed(given) : given;
  if (config === undefined || !isJsonObject(config)) {
    throw new TypeError(`${what}: the config must be an object, or its JSON text.`);
  }
  return config;
}
