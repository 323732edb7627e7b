import { parsePythonJson, pythonJson } from "@hermes/state-core";
import type { NewMessage, Random } from "@hermes/state-core";
import type { MessageSource } from "../source/message-source.js";

const UID_BYTES = 16;

/** Only what an assistant says has these; they are nothing in any other role. */
const OF_ASSISTANT = [
  "reasoning",
  "reasoningContent",
  "reasoningDetails",
  "codexReasoningItems",
  "codexMessageItems",
] as const;

/** A message that a retry, or a replay by another process, is known by. */
export type IdentifiedMessage = NewMessage & { readonly messageUid: string };

/** Structures become what would be stored of them now: a caller may change them while the message waits. */
function frozen(message: NewMessage): NewMessage {
  const fields = Object.entries(message).map(([key, value]: [string, unknown]) => {
    return [key, typeof value === "object" && value !== null ? parsePythonJson(pythonJson(value)) : value];
  });
  return Object.fromEntries(fields) as NewMessage;
}

/** Leaves out what the role cannot have, and where a loaded message was stored. */
export function ownFields(message: NewMessage): NewMessage {
  const without = new Set<string>(["id", "_persisted", ...(message.role === "assistant" ? [] : OF_ASSISTANT)]);
  return Object.fromEntries(Object.entries(message).filter(([key]) => !without.has(key))) as unknown as NewMessage;
}

/**
 * Gives a message what it keeps through every try: a uid, the moment it came in, and the platform's id. The latter is
 * that of the source for what a user said; an answer to it is another message.
 *
 * @param now - REAL seconds.
 * @throws TypeError when it contains itself.
 */
export function identifyMessage(
  message: NewMessage,
  source: MessageSource | undefined,
  now: number,
  random: Random,
): IdentifiedMessage {
  const { role, timestampSeconds, messageUid } = message;
  const platformMessageId = message.platformMessageId || (role === "user" && source?.messageId) || null;
  return {
    ...frozen(ownFields(message)),
    timestampSeconds: timestampSeconds ?? now,
    ...(platformMessageId !== null && { platformMessageId }),
    messageUid: messageUid || random.hex(UID_BYTES),
  };
}
