import type { TranscriptMessage } from "./transcript-message.js";

/** Whether an assistant message says or does anything. */
function answers(message: TranscriptMessage): boolean {
  return message.role === "assistant" && (Boolean(message.content) || Boolean(message.toolCalls));
}

/**
 * Leaves out user messages that repeat an earlier one word for word with no answer in between: a rotation writes the
 * open question into the continuation again, and a view over the whole lineage would show it twice.
 */
export function dropReplays<T extends TranscriptMessage>(messages: readonly T[]): T[] {
  const kept: T[] = [];
  const unanswered = new Set<string>();
  for (const message of messages) {
    if (message.role === "user" && typeof message.content === "string" && message.content !== "") {
      if (unanswered.has(message.content)) continue;
      unanswered.add(message.content);
    } else if (answers(message)) {
      unanswered.clear();
    }
    kept.push(message);
  }
  return kept;
}
