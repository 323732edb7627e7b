import type { ForeignMessage } from "./foreign-session.js";

/**
 * Marks calls that nothing answered: the program was stopped, or the file was cut.
 *
 * @param expects - Tells which calls are answered by a message at all; all, when absent.
 */
export function markUnanswered(
  messages: readonly ForeignMessage[],
  expects: (callId: string) => boolean = () => true,
): readonly ForeignMessage[] {
  const answered = new Set(messages.map(({ toolCallId }) => toolCallId));
  return messages.map((message) => {
    const open = (message.toolCalls ?? []).map(({ id }) => id).filter((id) => !answered.has(id) && expects(id));
    return open.length === 0 ? message : { ...message, metadata: { ...message.metadata, unanswered_tool_calls: open } };
  });
}
