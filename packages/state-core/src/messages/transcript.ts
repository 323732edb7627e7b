import type { TranscriptMessage } from "./transcript-message.js";

/** What the model sees of a conversation. */
export interface Transcript {
  readonly sessionId: string;
  /** Every session that was read, the root first; the session alone unless its ancestors were asked for. */
  readonly sessionIds: readonly string[];
  /** In insertion order. */
  readonly messages: readonly TranscriptMessage[];
  /** Rows with cells that could not be read as their type. */
  readonly damaged: readonly { readonly id: number; readonly keys: readonly string[] }[];
}

/** How to read a conversation. */
export interface ConversationOptions {
  /** Read the sessions above this one too, through every kind of parent. */
  readonly includeAncestors?: boolean;
  /** Read rewound and compacted rows too. */
  readonly includeInactive?: boolean;
  /** Make it a history that providers accept: merge neighbours of one role, drop stray tool results. */
  readonly repairAlternation?: boolean;
  /** Put the row id on every message. */
  readonly includeRowIds?: boolean;
}
