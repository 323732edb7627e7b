import type { Clock, Random } from "@hermes/state-core";
import type { MessageSource } from "../source/message-source.js";

/** Where a message goes: a session, a routing key, or both. With a key alone, its session is asked for first. */
export interface TranscriptTarget {
  readonly sessionId?: string;
  readonly sessionKey?: string | null;
}

/** How to append. */
export interface TranscriptAppendOptions {
  /** The agent stored the message itself: nothing is done. */
  readonly alreadyStored?: boolean;
  /** A message that the store does not take goes to disk at once, not with the third failure: its sender waits. */
  readonly durable?: boolean;
  /** Where a user's message came from: its `messageId` is the platform's id of the message, unless that has one. */
  readonly source?: MessageSource;
}

/** What the writer asks the router, and tells it. */
export interface TranscriptRoutes {
  /** The session that a key points to. Needed for targets without a session id. */
  sessionOf?(sessionKey: string): Promise<string | undefined> | string | undefined;
  /**
   * Makes the row of a session that has none (GWS-11); also of one that the key does not point to any more, as a
   * message may have waited for long.
   *
   * @returns Undefined when there must be no such session: its message is set aside.
   */
  materialize?(sessionKey: string, sessionId: string): Promise<string | undefined>;
  /** The conversation of a key went on in another session, which holds its newest message already. */
  onReroute?(sessionKey: string, from: string, to: string): Promise<unknown>;
}

/** Something a person who runs a gateway should know. */
export interface TranscriptWarning {
  /** `error`: somebody has to do something, or a message was set aside. */
  readonly level: "warning" | "error";
  readonly what: "append_failed" | "spool_failed" | "set_aside" | "publish_failed" | "unspool_failed" | "stopped";
  readonly sessionId: string | undefined;
  readonly sessionKey: string | null;
  /** Failures in a row of the session. */
  readonly failures: number;
  readonly error: Error;
  /** The file that was set aside. */
  readonly file?: string;
}

/** What a writer did so far. */
export interface TranscriptCounters {
  /** Messages that are in the store now, those that were there before included. */
  readonly stored: number;
  readonly existing: number;
  readonly spooled: number;
  /** Messages of an earlier process, or of another one that died, taken from the spool. */
  readonly claimed: number;
  readonly rerouted: number;
  readonly setAside: number;
  readonly failures: number;
  readonly spoolFailures: number;
}

/** What is not in the store yet. */
export interface TranscriptBacklog {
  readonly sessions: number;
  /** In memory only. */
  readonly queued: number;
  /** On disk. */
  readonly spooled: number;
}

/** How to open a writer. */
export interface TranscriptWriterOptions {
  /** The folder that keeps what cannot be stored: `spoolFolderOf(store.path)`. */
  readonly spoolFolder: string;
  readonly routes?: TranscriptRoutes;
  /** Called for each warning; what it throws is ignored. */
  readonly onWarning?: (warning: TranscriptWarning) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Most messages of one session in memory; beyond it the oldest goes to disk. */
export const QUEUE_BOUND = 200;
/** Failures in a row from which on they are errors, and what waits goes to disk. */
export const PATIENT_FAILURES = 3;
