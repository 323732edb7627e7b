import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LegacyRoutingEntry } from "@hermes/state-schema";

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `expiry_finalized` was once called `memory_flushed`. */
function finalized(entry: JsonObject): boolean | undefined {
  const flag = entry["expiry_finalized"] ?? entry["memory_flushed"];
  return typeof flag === "boolean" ? flag : undefined;
}

function toEntry(key: string, entry: unknown): LegacyRoutingEntry[] {
  if (key.startsWith("_") || !isObject(entry)) return [];
  const sessionId = text(entry["session_id"]);
  if (sessionId === undefined) return [];
  const origin = isObject(entry["origin"]) ? entry["origin"] : {};
  return [
    {
      sessionId,
      sessionKey: text(entry["session_key"]) ?? key,
      chatId: text(origin["chat_id"]),
      chatType: text(entry["chat_type"]) ?? text(origin["chat_type"]),
      threadId: text(origin["thread_id"]),
      displayName: text(entry["display_name"]),
      originJson: isObject(entry["origin"]) ? JSON.stringify(origin) : undefined,
      expiryFinalized: finalized(entry),
    },
  ];
}

/**
 * Reads the routing file that gateways kept beside the store before version 18: `sessions/sessions.json`, an object of
 * entries by session key. Entries that are none are skipped.
 *
 * @param path - The database.
 * @returns undefined when there is no such file. Source of the rule: SCH-04.
 */
export function readLegacyRouting(path: string): LegacyRoutingEntry[] | undefined {
  let json: string;
  try {
    json = readFileSync(join(dirname(path), "sessions", "sessions.json"), "utf8");
  } catch {
    // Most stores have none; an unreadable one holds nothing that could be copied.
    return undefined;
  }
  try {
    const parsed: unknown = JSON.parse(json.replace(/^\uFEFF/, ""));
    return isObject(parsed) ? Object.entries(parsed).flatMap(([key, entry]) => toEntry(key, entry)) : undefined;
  } catch {
    // A torn file must not keep the store from opening (SCH-04).
    return undefined;
  }
}
