import type { JsonObject, JsonValue, MessageContent } from "@hermes/state-core";

/** What a message is appended with, beside its role and content. */
export interface AppendMessageOptions {
  readonly toolName?: string | null;
  readonly toolCalls?: JsonValue;
  readonly toolCallId?: string | null;
  readonly tokenCount?: number | null;
  readonly finishReason?: string | null;
  readonly reasoning?: string | null;
  readonly reasoningContent?: string | null;
  readonly reasoningDetails?: JsonValue;
  readonly codexReasoningItems?: JsonValue;
  readonly codexMessageItems?: JsonValue;
  readonly platformMessageId?: string | null;
  readonly observed?: boolean;
  readonly effectDisposition?: string | null;
  /** REAL seconds since the epoch; now when absent. */
  readonly timestamp?: number | Date | null;
  readonly apiContent?: string | null;
  readonly displayKind?: string | null;
  readonly displayMetadata?: JsonObject | string | null;
  /** Taken and not needed: no compaction keeps an append out. */
  readonly compressionLockHolder?: string | null;
}

/** The names of what is appended, in the old order, behind the session's id. */
export const APPEND_NAMES = [
  "role",
  "content",
  "toolName",
  "toolCalls",
  "toolCallId",
  "tokenCount",
  "finishReason",
  "reasoning",
  "reasoningContent",
  "reasoningDetails",
  "codexReasoningItems",
  "codexMessageItems",
  "platformMessageId",
  "observed",
  "effectDisposition",
  "timestamp",
  "apiContent",
  "displayKind",
  "displayMetadata",
  "compressionLockHolder",
] as const;

/** How to append a batch. */
export interface AppendBatchOptions {
  /** As in {@link AppendMessageOptions}. */
  readonly compressionLockHolder?: string | null;
  /** Messages per transaction, for batches that would keep others out too long. Default: all in one, or none. */
  readonly chunkRows?: number | null;
}

/** How to replace the messages of a session. */
export interface ReplaceMessagesOptions {
  /** Leaves what is compacted or rewound. */
  readonly activeOnly?: boolean;
  /** Hides what the model saw and deletes nothing. */
  readonly archiveDropped?: boolean;
}

/** Which message is shown in another way, and how. */
export interface DisplayKindOptions {
  readonly role: string;
  readonly content: MessageContent;
  readonly displayKind: string | null;
  /** Stays as it is when absent. */
  readonly displayMetadata?: JsonObject | string | null;
}

/** Something somebody thinks of a message that nobody has taken notice of yet. */
export interface UnseenMessageReaction {
  readonly rowId: number;
  readonly role: string;
  readonly emoji: string;
  readonly text: string;
}

/** Those of {@link APPEND_NAMES} whose value may be an object. */
export const APPEND_OBJECTS: readonly string[] = [
  "content",
  "toolCalls",
  "reasoningDetails",
  "codexReasoningItems",
  "codexMessageItems",
  "displayMetadata",
];
