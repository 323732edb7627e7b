import { isJsonObject, type JsonObject } from "@hermes/state-core";
import type { ModelOverride } from "./routing-entry.js";

const SECRET = /key|token|secret|pass|auth|sig|cred/i;

/** An address without a name and password, and without parameters that are called like a secret. */
function cleanUrl(text: string): string {
  const withoutUser = text.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*@/i, "$1//").replace(/#.*$/s, "");
  const query = withoutUser.indexOf("?");
  if (query < 0) return withoutUser;
  const parameters = withoutUser.slice(query + 1).split("&");
  const kept = parameters.filter((parameter) => !SECRET.test(parameter.replace(/=.*$/s, "")));
  return withoutUser.slice(0, query) + (kept.length === 0 ? "" : `?${kept.join("&")}`);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * What of a chosen model may be kept: model, provider and address. Everything else is left behind, keys and passwords
 * inside the address too; it is asked when an override is set, written and read (GWS-02).
 *
 * @param override - With `baseUrl`, or `base_url` as it is stored.
 * @returns Null when nothing is left.
 */
export function cleanModelOverride(override: unknown): ModelOverride | null {
  if (!isJsonObject(override)) return null;
  const model = text(override["model"]);
  const provider = text(override["provider"]);
  const address = text(override["baseUrl"] ?? override["base_url"]);
  const kept: ModelOverride = {
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(address !== undefined && { baseUrl: cleanUrl(address) }),
  };
  return Object.keys(kept).length === 0 ? null : kept;
}

/** The same as it is stored; undefined for nothing. */
export function encodeModelOverride(override: ModelOverride | null): JsonObject | undefined {
  const kept = cleanModelOverride(override);
  if (kept === null) return undefined;
  const { model, provider, baseUrl } = kept;
  return {
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(baseUrl !== undefined && { base_url: baseUrl }),
  };
}
