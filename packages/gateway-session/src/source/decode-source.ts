import { isJsonObject, type JsonObject, type JsonValue } from "@hermes/state-core";
import type { MessageSource } from "./message-source.js";

/** Ids are text whatever they were stored as; what is no text says nothing. */
function text(value: JsonValue | undefined): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : null;
}

const OPTIONAL = [
  ["userIdAlt", "user_id_alt"],
  ["chatIdAlt", "chat_id_alt"],
  ["parentChatId", "parent_chat_id"],
  ["messageId", "message_id"],
  ["profile", "profile"],
  ["autoThreadInitialName", "auto_thread_initial_name"],
  ["prospectiveThreadId", "prospective_thread_id"],
] as const;

type OptionalText = (typeof OPTIONAL)[number][0] | "scopeId";

function optionalTexts(json: JsonObject): Partial<Record<OptionalText, string>> {
  const found: Partial<Record<OptionalText, string>> = {};
  for (const [key, stored] of OPTIONAL) {
    const value = text(json[stored]);
    if (value) found[key] = value;
  }
  const scopeId = text(json["scope_id"]) || text(json["guild_id"]);
  if (scopeId) found.scopeId = scopeId;
  return found;
}

/**
 * Reads a stored source. Trust that stands in the text is not read: anybody could have written it there.
 *
 * @returns Undefined for what names no platform. `scope_id` wins over `guild_id`; ids come back as text.
 */
export function decodeSource(json: unknown): MessageSource | undefined {
  if (!isJsonObject(json)) return undefined;
  const { platform } = json;
  if (typeof platform !== "string" || platform === "") return undefined;
  return {
    platform,
    chatId: text(json["chat_id"]),
    chatName: text(json["chat_name"]),
    chatType: text(json["chat_type"]) || "dm",
    userId: text(json["user_id"]),
    userName: text(json["user_name"]),
    threadId: text(json["thread_id"]),
    chatTopic: text(json["chat_topic"]),
    ...optionalTexts(json),
    ...(json["auto_thread_created"] === true && { autoThreadCreated: true }),
  };
}
