import type { MessageSource } from "../source/message-source.js";
import type { KeyPolicy } from "./key-policy.js";
import { SCOPED_PLATFORM } from "./key-roles.js";
import { whatsappNumber } from "./whatsapp-id.js";

/** What of a source its key is made of. */
export interface KeyPlace {
  readonly platform: string;
  readonly chatType: string;
  readonly scopeId: string | undefined;
  readonly chatId: string | undefined;
  readonly threadId: string | undefined;
  readonly participantId: string | undefined;
}

/** Text of an id; undefined for none. Numbers are ids too, as adapters without types pass them. */
export function idText(what: string, id: unknown): string | undefined {
  if (id === undefined || id === null || id === "") return undefined;
  if (typeof id === "string") return id;
  if (typeof id === "number" || typeof id === "bigint") return String(id);
  throw new TypeError(`${what} must be a string, not ${typeof id}.`);
}

/** Whether the source is a direct message. */
export function isDirect(source: MessageSource): boolean {
  return (source.chatType ?? "dm").toLowerCase() === "dm" || source.chatType === "";
}

/** The thread of a source: the real one, else the one that will be; a direct message has no thread to come. */
export function threadOf(source: MessageSource): string | undefined {
  const real = idText("threadId", source.threadId);
  return real ?? (isDirect(source) ? undefined : idText("prospectiveThreadId", source.prospectiveThreadId));
}

/** The person of a source; the second id wins. */
export function participantOf(source: MessageSource): string | undefined {
  return idText("userIdAlt", source.userIdAlt) ?? idText("userId", source.userId);
}

/** Whether each person of the place has a session of their own. */
function isolates(source: MessageSource, policy: KeyPolicy): boolean {
  if (!(policy.groupSessionsPerUser ?? true)) return false;
  return threadOf(source) === undefined || (policy.threadSessionsPerUser ?? false);
}

/**
 * Works out what a key is made of (GWS-01).
 *
 * @throws TypeError without a platform.
 */
export function keyPlace(source: MessageSource, policy: KeyPolicy = {}): KeyPlace {
  const platform = idText("platform", source.platform)?.toLowerCase();
  if (platform === undefined) throw new TypeError("A message source needs a platform.");
  const scopeId = platform === SCOPED_PLATFORM ? idText("scopeId", source.scopeId) : undefined;
  const person = (id: string | undefined): string | undefined =>
    id !== undefined && platform === "whatsapp" ? whatsappNumber(id, policy.whatsappAliases) : id;
  const chat = idText("chatId", source.chatId);
  const threadId = threadOf(source);
  const participant = person(participantOf(source));
  if (isDirect(source)) {
    const chatId = person(chat);
    const participantId = chatId === undefined ? participant : undefined;
    return { platform, chatType: "dm", scopeId, chatId, threadId, participantId };
  }
  const opensThread = threadId !== undefined && idText("threadId", source.threadId) === undefined;
  const chatType = opensThread ? "thread" : (source.chatType ?? "dm").toLowerCase();
  const participantId = isolates(source, policy) ? participant : undefined;
  return { platform, chatType, scopeId, chatId: chat, threadId, participantId };
}
