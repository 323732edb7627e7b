import type { Progress, SessionFilter } from "@hermes/state-core";
import type { OwnPatterns } from "../redact/check-patterns.js";
import type { ExportFormat, Losses } from "./export-codec.js";
import type { LineageScope } from "./lineage-sessions.js";

/**
 * What to export, and as what. Without `sessionIds` and `filter` everything goes: archived, hidden and child sessions
 * too.
 */
export interface ExportOptions {
  readonly format: ExportFormat;
  /** With `peer-jsonl` only: leave out what the peer's own export leaves out, archived and rewound messages. */
  readonly peerSubset?: boolean;
  /** Exactly these sessions, in this order. */
  readonly sessionIds?: readonly string[];
  /** What goes with each of `sessionIds` (POR-08). Default `single`: nothing. */
  readonly lineage?: LineageScope;
  /**
   * The sessions that match. Continuations and other children are among them, unless the filter sets `includeChildren`
   * to false.
   */
  readonly filter?: SessionFilter;
  /** Take secrets out of every text: `true` for the common ones, or patterns for more than those (POR-06). */
  readonly redact?: boolean | OwnPatterns;
  /** Called after each session. */
  readonly onSession?: (session: { readonly id: string; readonly messages: number }) => void;
  /** Called along the way: messages that were read (`exporting`). */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops between two sessions; the sink is told to drop what it has. */
  readonly signal?: AbortSignal | undefined;
}

/** What an export wrote. */
export interface ExportReport {
  readonly format: ExportFormat;
  readonly sessions: number;
  /** Messages in the sessions, written or left out. */
  readonly messages: number;
  readonly bytes: number;
  /** Hex SHA-256 of everything written. */
  readonly sha256: string;
  /** Rows that the format left out, by kind; empty for a lossless one. */
  readonly leftOut: Losses;
  /** What the format cannot carry, in words. */
  readonly losses: readonly string[];
  /** Secrets that were taken out, by kind; empty without `redact`. */
  readonly redacted: Readonly<Record<string, number>>;
}
