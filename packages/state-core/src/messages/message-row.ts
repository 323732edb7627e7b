import type { JsonObject, JsonValue, MessageContent } from "../codec/json-value.js";
import type { Maybe } from "../codec/maybe.js";

/** One message as the file holds it, decoded. Moments are REAL seconds since the epoch. */
export interface MessageRow {
  /** Insertion order, and the only order there is (COR-22). */
  readonly id: number;
  readonly sessionId: string;
  readonly role: string;
  readonly content: MessageContent | undefined;
  readonly toolCallId: Maybe<string>;
  readonly toolCalls: Maybe<readonly JsonValue[]>;
  readonly toolName: Maybe<string>;
  readonly effectDisposition: Maybe<string>;
  readonly timestampSeconds: number | undefined;
  readonly tokenCount: Maybe<number>;
  readonly finishReason: Maybe<string>;
  readonly reasoning: Maybe<string>;
  readonly reasoningContent: Maybe<string>;
  readonly reasoningDetails: JsonValue | undefined;
  readonly codexReasoningItems: JsonValue | undefined;
  readonly codexMessageItems: JsonValue | undefined;
  /** The id the chat platform gave it. */
  readonly platformMessageId: Maybe<string>;
  readonly observed: boolean | undefined;
  readonly compressedSummary: boolean | undefined;
  /** The model sees it. */
  readonly active: boolean | undefined;
  /** Summarised away by a compaction: no longer active, still found and shown. */
  readonly compacted: boolean | undefined;
  /** The exact wire string. */
  readonly apiContent: Maybe<string>;
  readonly displayKind: Maybe<string>;
  readonly displayMetadata: Maybe<JsonObject>;
  readonly messageUid: Maybe<string>;
  readonly absorbedMessageUids: JsonValue | undefined;
  readonly toolCallUids: JsonValue | undefined;
  readonly toolCallUid: Maybe<string>;
  /** Keys whose cells could not be read as their type; they are undefined here. */
  readonly damaged: readonly string[];
}
