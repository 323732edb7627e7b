import type { NewMessage, Transcript } from "@hermes/state-core";

interface Taken {
  /** Where the message is, or is meant to go. */
  readonly sessionId: string;
  /** What a retry or a replay knows the message by. */
  readonly messageUid: string;
}

/** The message is in the store. */
export interface StoredMessage extends Taken {
  readonly state: "stored";
  readonly durable: true;
  readonly messageId: number;
  /** True when it was there already, by its uid or the platform's id. */
  readonly existing: boolean;
}

/** The message is on disk beside the store, and is stored in its turn, by this process or a later one. */
export interface SpooledMessage extends Taken {
  readonly state: "spooled";
  readonly durable: true;
  /** Why the store did not take it. */
  readonly problem: Error;
}

/**
 * The message waits in the memory of this process and is lost with it. Never tell anybody that it was received on the
 * strength of this; the next append, `flush` and `close` store or spool it.
 */
export interface QueuedMessage extends Taken {
  readonly state: "queued";
  readonly durable: false;
  /** Why the store did not take it, or why it could not be spooled. */
  readonly problem: Error;
}

/** Nothing was done: the caller said that the message is stored. */
export interface SkippedMessage {
  readonly state: "skipped";
  readonly durable: false;
}

/** What became of a message. It is acknowledged when `durable` is true, and only then (GWS-05). */
export type TranscriptReceipt = StoredMessage | SpooledMessage | QueuedMessage | SkippedMessage;

/** A conversation, with what the store does not hold yet. */
export interface LoadedTranscript extends Transcript {
  /** Messages that were appended and are not stored, oldest first; none while the store is healthy. */
  readonly unstored: readonly NewMessage[];
}
