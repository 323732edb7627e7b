import type { RoutingEntry } from "../entry/routing-entry.js";
import { parseSessionKey } from "../key/parse-session-key.js";
import type { MessageSource } from "../source/message-source.js";

/** Who talks under a key, as far as the key tells. */
export function sourceOfKey(sessionKey: string): MessageSource {
  const { platform, chatType, profile, chatId, threadId, scopeId } = parseSessionKey(sessionKey);
  return { platform, chatType, profile, chatId: chatId ?? null, threadId: threadId ?? null, scopeId: scopeId ?? null };
}

/** Who talks on a route, where nobody has just said it: as it was written down, else as the key tells. */
export function sourceOf(entry: RoutingEntry): MessageSource {
  return entry.origin ?? sourceOfKey(entry.sessionKey);
}
