import type { JsonObject, JsonValue, MessageContent } from "@hermes/state-core";

/** A tool that an agent asked for. */
export interface ForeignToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, or whatever text the agent wrote. */
  readonly arguments: string;
}

/** One message of another program's transcript, in this stack's terms. */
export interface ForeignMessage {
  /**
   * Names the message within its session and stays the same at every reading of the source: the source's own id where
   * it has one. It is stored, so that a later import knows what is new.
   */
  readonly uid: string;
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly content: MessageContent;
  /** REAL seconds since the epoch; absent where the source has no times. */
  readonly seconds?: number | undefined;
  readonly toolCalls?: readonly ForeignToolCall[] | undefined;
  readonly toolCallId?: string | undefined;
  readonly toolName?: string | undefined;
  readonly reasoning?: string | undefined;
  /** What the provider needs to accept its own reasoning again: signatures, encrypted items. */
  readonly reasoningDetails?: JsonValue | undefined;
  /** Items of the Responses API that its next request repeats. */
  readonly reasoningItems?: JsonValue | undefined;
  readonly finishReason?: string | undefined;
  /** The program wrote it in a compaction; nobody said it. */
  readonly summary?: boolean | undefined;
  /** A later summary stands for it: searchable, not sent to the model. */
  readonly compacted?: boolean | undefined;
  /** Written by the program in the user's name: part of the talk, no turn of the user. */
  readonly notice?: boolean | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** Tokens of one reply of a model. A reply that a source repeats is given once. */
export interface ForeignUsage {
  /** Uid of the message with which they are counted; absent where the source does not tell whose tokens they are. */
  readonly uid?: string | undefined;
  readonly model: string;
  /** Without cached tokens. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** US dollars as the source says; null when it says nothing. */
  readonly costUsd: number | null;
}

/** How a session hangs on another one. */
export interface ForeignParent {
  readonly id: string;
  /** `branch`: an abandoned or forked path; `delegate`: work of a subagent; `continuation`: the same talk goes on. */
  readonly relation: "branch" | "delegate" | "continuation";
  /** The message of the parent after which it begins, by its uid. */
  readonly after?: string | undefined;
}

/** One conversation of another program's transcript. */
export interface ForeignSession {
  /** The source's own id where it has one. */
  readonly id: string;
  /**
   * The source has no id for it, and this one is made from its beginning: two conversations may begin alike, so nothing
   * that is stored under it is ever taken back.
   */
  readonly derivedId?: boolean | undefined;
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  readonly title?: string | undefined;
  readonly titleSource?: "derived" | "llm" | "user" | undefined;
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  readonly gitBranch?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly startedSeconds?: number | undefined;
  readonly parent?: ForeignParent | undefined;
  /** In the order in which they are stored. */
  readonly messages: readonly ForeignMessage[];
  readonly usage: readonly ForeignUsage[];
  /** What the source says of the session and no column holds. */
  readonly extra?: JsonObject | undefined;
}
