import { dirname, join } from "node:path";
import type { LegacyRoutingEntry } from "@hermes/state-schema";
import { isJsonObject } from "../codec/json-object.js";
import type { JsonObject } from "../codec/json-value.js";
import { readRoutingObjects } from "../routing/read-routing-objects.js";

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Ids are text, however they were stored. */
function idText(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}

/** `expiry_finalized` was once called `memory_flushed`. */
function finalized(entry: JsonObject): boolean | undefined {
  const flag = entry["expiry_finalized"] ?? entry["memory_flushed"];
  return typeof flag === "boolean" ? flag : undefined;
}

function toEntry(key: string, entry: JsonObject): LegacyRoutingEntry[] {
  const sessionId = text(entry["session_id"]);
  if (sessionId === undefined) return [];
  const origin = isJsonObject(entry["origin"]) ? entry["origin"] : {};
  return [
    {
      sessionId,
      sessionKey: text(entry["session_key"]) ?? key,
      chatId: idText(origin["chat_id"]),
      chatType: text(entry["chat_type"]) ?? text(origin["chat_type"]),
      threadId: idText(origin["thread_id"]),
      displayName: text(entry["display_name"]),
      originJson: isJsonObject(entry["origin"]) ? JSON.stringify(origin) : undefined,
      expiryFinalized: finalized(entry),
    },
  ];
}

/**
 * Reads the routing file that gateways kept beside the store before version 18: `sessions/sessions.json`, an object of
 * entries by session key. Entries that are none are skipped; a torn file must not keep the store from opening.
 *
 * @param path - The database.
 * @returns undefined when there is no such file. Source of the rule: SCH-04.
 */
export function readLegacyRouting(path: string): LegacyRoutingEntry[] | undefined {
  const read = readRoutingObjects(join(dirname(path), "sessions", "sessions.json"));
  if (read === undefined || read.problem !== undefined) return undefined;
  return [...read.entries].flatMap(([key, entry]) => toEntry(key, entry));
}
