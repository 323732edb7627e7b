import type { JsonObject, JsonValue, MessageContent } from "../codec/json-value.js";

/** A message to append. Only the role is required; text may hold anything, lone surrogates become U+FFFD (COR-14). */
export interface NewMessage {
  /** The row a loaded message came from. Every new row gets its own id. */
  readonly id?: number;
  /**
   * Where the message is stored already, as loading and saving mark it. {@link Messages.saveTranscript} skips what this
   * session holds; every other way to store it makes a new row.
   */
  readonly _persisted?: string;
  /** user, assistant, tool, system, session_meta, ... */
  readonly role: string;
  readonly content?: MessageContent;
  readonly toolCallId?: string | null;
  /** A list, or its JSON text; it is never encoded twice. */
  readonly toolCalls?: JsonValue;
  readonly toolName?: string | null;
  readonly effectDisposition?: string | null;
  /** REAL seconds since the epoch, kept as given also when the clock stepped back; now when absent. */
  readonly timestampSeconds?: number;
  readonly tokenCount?: number | null;
  readonly finishReason?: string | null;
  readonly reasoning?: string | null;
  readonly reasoningContent?: string | null;
  /** Structures become JSON; text is stored verbatim. The same holds for the codex items. */
  readonly reasoningDetails?: JsonValue;
  readonly codexReasoningItems?: JsonValue;
  readonly codexMessageItems?: JsonValue;
  /** The id the chat platform gave it: a second append with the same id returns the first row (COR-21). */
  readonly platformMessageId?: string | null;
  readonly observed?: boolean;
  readonly compressedSummary?: boolean;
  /** False for a row that the model must not see; it then does not count. Default true. */
  readonly active?: boolean;
  /** True for a row that a compaction summarised away. Default false. */
  readonly compacted?: boolean;
  /** The exact wire string, returned verbatim. */
  readonly apiContent?: string | null;
  readonly displayKind?: string | null;
  readonly displayMetadata?: JsonObject | string | null;
  readonly messageUid?: string | null;
  readonly absorbedMessageUids?: JsonValue;
  readonly toolCallUids?: JsonValue;
  readonly toolCallUid?: string | null;
}
