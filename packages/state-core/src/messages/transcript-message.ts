import type { JsonObject, JsonValue, MessageContent } from "../codec/json-value.js";
import { pythonStrip } from "../codec/python-strip.js";
import type { MessageRow } from "./message-row.js";
import { sanitizeContext } from "./sanitize-context.js";
import { isToolMarker } from "./tool-marker.js";

/** One message as the model sees it. A key is there only when the message has it; `content` always is. */
export interface TranscriptMessage {
  /** Row id; only when the ids were asked for. */
  readonly id?: number;
  /** Says that the message is stored, and where (COR-23); {@link toWireMessages} takes it off. */
  readonly _persisted?: string;
  readonly role: string;
  readonly content: MessageContent;
  readonly apiContent?: string;
  readonly displayKind?: string;
  readonly displayMetadata?: JsonObject;
  /** REAL seconds since the epoch. */
  readonly timestampSeconds?: number;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly JsonValue[];
  readonly toolName?: string;
  readonly effectDisposition?: string;
  readonly platformMessageId?: string;
  readonly observed?: true;
  readonly finishReason?: string;
  readonly reasoning?: string;
  readonly reasoningContent?: string;
  readonly reasoningDetails?: JsonValue;
  readonly codexReasoningItems?: JsonValue;
  readonly codexMessageItems?: JsonValue;
}

/** A transcript message while it is being made; until it is marked, `_persisted` lists its rows: `3`, or `3+4`. */
export type DraftMessage = { -readonly [K in keyof TranscriptMessage]: TranscriptMessage[K] };

const ALWAYS = [
  "displayKind",
  "toolCallId",
  "toolCalls",
  "toolName",
  "effectDisposition",
  "platformMessageId",
  "finishReason",
] as const;

const OF_ASSISTANT = ["reasoning", "reasoningDetails", "codexReasoningItems", "codexMessageItems"] as const;

function shownContent(row: MessageRow): MessageContent {
  const content = row.content ?? null;
  if (typeof content !== "string" || (row.role !== "user" && row.role !== "assistant")) return content;
  const text = pythonStrip(sanitizeContext(content));
  return row.role === "assistant" && isToolMarker(text, row.toolCalls) ? "" : text;
}

type SharedKey = keyof TranscriptMessage & keyof MessageRow;

function copyPresent(draft: DraftMessage, row: MessageRow, keys: readonly SharedKey[]): void {
  const target = draft as Record<string, unknown>;
  for (const key of keys) if (row[key]) target[key] = row[key];
}

/**
 * Makes the message the model sees from a row: user and assistant text loses injected context and surrounding
 * space, reasoning stays with assistant rows, empty fields are left out. The wire string is never touched.
 */
export function toTranscriptMessage(row: MessageRow, withId: boolean): DraftMessage {
  const draft: DraftMessage = { role: row.role, content: shownContent(row), _persisted: String(row.id) };
  if (withId) draft.id = row.id;
  if (typeof row.apiContent === "string") draft.apiContent = row.apiContent;
  if (row.displayMetadata) draft.displayMetadata = row.displayMetadata;
  if (row.timestampSeconds !== undefined) draft.timestampSeconds = row.timestampSeconds;
  copyPresent(draft, row, ALWAYS);
  if (row.observed) draft.observed = true;
  if (row.role !== "assistant") return draft;
  copyPresent(draft, row, OF_ASSISTANT);
  // An empty string is a statement of the provider here and must be sent back.
  if (typeof row.reasoningContent === "string") draft.reasoningContent = row.reasoningContent;
  return draft;
}
