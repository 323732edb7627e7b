import type { JsonObject, JsonValue } from "@hermes/state-core";
import type { MessageSource } from "./message-source.js";

/**
 * A source as the peer stores it: the first eight keys always, the others where they say something. What a peer could
 * forge (bot, authorised role, relay trust, refused route) is never part of it.
 *
 * Source of the rule: GWS-02, GWS-04.
 */
export function encodeSource(source: MessageSource): JsonObject {
  const optional: readonly (readonly [string, JsonValue | undefined])[] = [
    ["user_id_alt", source.userIdAlt],
    ["chat_id_alt", source.chatIdAlt],
    ["scope_id", source.scopeId],
    ["guild_id", source.scopeId],
    ["parent_chat_id", source.parentChatId],
    ["message_id", source.messageId],
    ["profile", source.profile],
    ["auto_thread_created", source.autoThreadCreated],
    ["auto_thread_initial_name", source.autoThreadInitialName],
    ["prospective_thread_id", source.prospectiveThreadId],
  ];
  return {
    platform: source.platform,
    chat_id: source.chatId ?? null,
    chat_name: source.chatName ?? null,
    chat_type: source.chatType || "dm",
    user_id: source.userId ?? null,
    user_name: source.userName ?? null,
    thread_id: source.threadId ?? null,
    chat_topic: source.chatTopic ?? null,
    ...Object.fromEntries(optional.filter((pair): pair is [string, JsonValue] => Boolean(pair[1]))),
  };
}
