import type { KeyedPeer, PeerRecord } from "@hermes/state-core";
import { encodeSource } from "../source/encode-source.js";
import type { MessageSource } from "../source/message-source.js";

/** Who talks, as the rows of a store say it. */
export function peerOf(sessionKey: string, source: MessageSource): KeyedPeer {
  const { platform, userId = null, chatId = null, threadId = null } = source;
  return { sessionKey, source: platform, userId, chatId, chatType: source.chatType || "dm", threadId };
}

/** What is written down about who talks in a session. */
export function recordOf(sessionKey: string, source: MessageSource): PeerRecord {
  const displayName = displayNameOf(source);
  return { ...peerOf(sessionKey, source), displayName, originJson: JSON.stringify(encodeSource(source)) };
}

/** What a conversation is called in lists: the chat, else the person. */
export function displayNameOf(source: MessageSource): string | null {
  return source.chatName || source.userName || null;
}
