import { exactJson } from "../lines/exact-json.js";
import { derivedId } from "./derived-id.js";
import type { ForeignMessage } from "./foreign-session.js";

/**
 * Names messages whose source has no ids by what they say and what was said before them: the same talk has the same
 * names at every reading, also when it grew, and another one that begins alike does not share the rest.
 */
export function chainedUids(messages: readonly Omit<ForeignMessage, "uid">[]): readonly ForeignMessage[] {
  let before = "";
  return messages.map((message) => {
    before = derivedId(before, exactJson([message.role, message.content, message.toolCalls, message.toolCallId]));
    return { uid: before, ...message };
  });
}
