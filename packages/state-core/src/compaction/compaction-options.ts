import type { JsonObject } from "../codec/json-value.js";
import type { NewMessage } from "../messages/new-message.js";
import type { SessionFields } from "../sessions/session-fields.js";

/** How to compact in place. */
export interface ArchiveOptions {
  /**
   * The last message that the summary speaks of: `compaction.watermark`, read when the summary was begun. What came in
   * later stays live. Null replaces everything.
   */
  readonly watermark: number | null;
  /** The holder of the compression lease; it is checked in the transaction when given. */
  readonly holder?: string;
  /** How many of the last messages up to the watermark are carried over as they were. Default 0. */
  readonly tailCount?: number;
  /** Merged into the session's model config; a null value deletes its key. */
  readonly configPatch?: JsonObject;
}

/** The next segment of a conversation. What is not given comes from the parent. */
export type RotationChild = Omit<SessionFields, "parentSessionId" | "source"> & { readonly source?: string };

/** How to rotate. */
export interface RotateOptions {
  /** What the next segment begins with: the summary and what is carried over. */
  readonly messages: readonly NewMessage[];
  /**
   * The last message of the parent that `messages` speaks of: `compaction.watermark`, read when the summary was begun.
   * What came in later is copied behind them. Null copies nothing.
   */
  readonly watermark: number | null;
  /**
   * The last message to copy: `compaction.ceiling`, read just before the rotator stored messages of its own in the
   * parent that `messages` holds already. Null, for a ceiling that could not be read, copies nothing. What others store
   * above the ceiling stays in the parent; `ownIds` is exact.
   */
  readonly ceiling?: number | null;
  /** Messages of the parent that the rotator stored itself and that `messages` holds already: they are not copied. */
  readonly ownIds?: readonly number[];
  /** The holder of the compression lease on the parent. */
  readonly holder?: string;
  /** Whether the lease must be held when the child is published. Default true. */
  readonly requireLease?: boolean;
  /** Refreshes the lease first, for this many seconds. */
  readonly refreshTtlSeconds?: number;
}

/** Keys of {@link ArchiveOptions}. */
export const ARCHIVE_OPTIONS: readonly (keyof ArchiveOptions)[] = ["watermark", "holder", "tailCount", "configPatch"];

/** Keys of {@link RotateOptions}. */
export const ROTATE_OPTIONS: readonly (keyof RotateOptions)[] = [
  "messages",
  "watermark",
  "ceiling",
  "ownIds",
  "holder",
  "requireLease",
  "refreshTtlSeconds",
];
