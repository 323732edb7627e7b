import type { MessageSource } from "../source/message-source.js";
import { formatSessionKey } from "./format-session-key.js";
import { type KeyPlace, keyPlace } from "./key-place.js";
import type { KeyPolicy } from "./key-policy.js";

/** The ids of a place in the order of the peer's keys: in a direct message the person stands in the chat's place. */
export function idsInOrder(place: KeyPlace): string[] {
  const { scopeId, chatId, threadId, participantId } = place;
  const ids =
    place.chatType === "dm" ? [scopeId, chatId ?? participantId, threadId] : [scopeId, chatId, threadId, participantId];
  return ids.filter((id) => id !== undefined);
}

function definedRoles(place: KeyPlace): Partial<Record<"scopeId" | "chatId" | "threadId" | "participantId", string>> {
  const { scopeId, chatId, threadId, participantId } = place;
  return {
    ...(scopeId !== undefined && { scopeId }),
    ...(chatId !== undefined && { chatId }),
    ...(threadId !== undefined && { threadId }),
    ...(participantId !== undefined && { participantId }),
  };
}

/**
 * Builds the key a peer is routed by: `agent:<profile>:<platform>:<chat type>` and the ids that tell its conversation
 * apart. It is the peer's own key wherever no id holds ":"; ids keep their case.
 *
 * @param policy - Who shares a conversation outside of direct messages.
 * @throws TypeError when there is no platform, or an id is no text.
 * @example
 * ```ts
 * buildSessionKey({ platform: "telegram", chatType: "group", chatId: "-100", userId: "7" });
 * // "agent:main:telegram:group:-100:7"
 * ```
 * Source of the rule: GWS-01.
 */
export function buildSessionKey(source: MessageSource, policy: KeyPolicy = {}): string {
  const place = keyPlace(source, policy);
  return formatSessionKey({
    profile: source.profile ?? null,
    platform: place.platform,
    chatType: place.chatType,
    ids: idsInOrder(place),
    ...definedRoles(place),
  });
}
