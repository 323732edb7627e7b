import { hash } from "node:crypto";
import { isJsonObject } from "../../codec/json-object.js";
import { PERSISTED_MARKER } from "./persisted-marker.js";

/** What says where a message is stored is no part of what it says. */
const APART: ReadonlySet<string> = new Set([PERSISTED_MARKER, "id"]);

const LENGTH = 16;

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/** Text needs no quotes between its bounds; everything else as JSON, the order of keys aside. */
function spell(value: unknown): string {
  return typeof value === "string" ? `"${value}` : JSON.stringify(value, sortKeys);
}

/**
 * A digest of what a message says. Copies have the same one: by spread, by `structuredClone`, through JSON, with their
 * keys in another order or with keys that are undefined.
 */
export function messageDigest(message: object): string {
  const fields = message as Readonly<Record<string, unknown>>;
  let text = "";
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key];
    if (value !== undefined && !APART.has(key)) text += `${key}\u0001${spell(value)}\u0000`;
  }
  return hash("sha256", text, "base64url").slice(0, LENGTH);
}
