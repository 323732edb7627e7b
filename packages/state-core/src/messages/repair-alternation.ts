import { isJsonObject } from "../codec/json-object.js";
import type { JsonValue } from "../codec/json-value.js";
import type { DraftMessage } from "./transcript-message.js";

const GAP = "\n\n";

function callIds(calls: readonly JsonValue[] | undefined): Set<unknown> {
  const ids = (calls ?? []).map((call) => (isJsonObject(call) ? call["id"] : undefined));
  return new Set(ids.filter(Boolean));
}

/** Drops tool results that answer no call of the assistant message before them: providers refuse them. */
function dropStrayResults(messages: readonly DraftMessage[]): DraftMessage[] {
  let open = new Set<unknown>();
  return messages.filter((message) => {
    if (message.role === "tool") return open.has(message.toolCallId);
    if (message.role === "assistant") open = callIds(message.toolCalls);
    if (message.role === "user") open = new Set();
    return true;
  });
}

function joined(earlier: string, later: string): string {
  return earlier && later ? earlier + GAP + later : earlier || later;
}

/** The text of an assistant message that has text or nothing; undefined for structured content. */
function spoken(message: DraftMessage): string | undefined {
  return message.content === null ? "" : typeof message.content === "string" ? message.content : undefined;
}

/** The wire string of one of two merged messages no longer says what the message says. */
function withContent(message: DraftMessage, content: string): DraftMessage {
  const merged = { ...message, content };
  delete merged.apiContent;
  return merged;
}

function mergeUsers(earlier: DraftMessage, later: DraftMessage): DraftMessage | undefined {
  if (typeof earlier.content !== "string" || typeof later.content !== "string") return undefined;
  return withContent(earlier, joined(earlier.content, later.content));
}

function mergeAssistants(earlier: DraftMessage, later: DraftMessage): DraftMessage | undefined {
  const said = spoken(earlier);
  const then = spoken(later);
  if (earlier.toolCalls?.length || said === undefined || then === undefined) return undefined;
  return withContent({ ...earlier, ...later, ...firstOf(earlier) }, joined(said, then));
}

/** Which row and when stay those of the first of two merged messages. */
function firstOf({ id, timestampSeconds }: DraftMessage): Partial<DraftMessage> {
  return { ...(id !== undefined && { id }), ...(timestampSeconds !== undefined && { timestampSeconds }) };
}

function mergeTurns(earlier: DraftMessage, later: DraftMessage): DraftMessage | undefined {
  if (earlier.role !== later.role) return undefined;
  if (earlier.role === "user") return mergeUsers(earlier, later);
  return earlier.role === "assistant" ? mergeAssistants(earlier, later) : undefined;
}

function merge(earlier: DraftMessage, later: DraftMessage): DraftMessage | undefined {
  const merged = mergeTurns(earlier, later);
  if (merged && earlier._persisted !== undefined && later._persisted !== undefined) {
    merged._persisted = `${earlier._persisted}+${later._persisted}`;
  }
  return merged;
}

/**
 * Makes a history that providers accept: stray tool results go, neighbouring user messages become one, neighbouring
 * assistant messages become one unless the first waits for its results. Structured content is never merged.
 */
export function repairAlternation(messages: readonly DraftMessage[]): DraftMessage[] {
  const repaired: DraftMessage[] = [];
  for (const message of dropStrayResults(messages)) {
    const last = repaired.at(-1);
    const merged = last && merge(last, message);
    if (merged) repaired[repaired.length - 1] = merged;
    else repaired.push(message);
  }
  return repaired;
}
