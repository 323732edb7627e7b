/**
 * What a session itself is like: the conditions that listings, counts, exports and retention share (COR-33). Text
 * matches exactly, and `...Like` is a part of it in which case does not matter and wildcards are literal. A cell that
 * cannot be read matches no bound.
 */
export interface SessionMatch {
  readonly source?: string;
  readonly sources?: readonly string[];
  readonly excludeSources?: readonly string[];
  readonly sessionKey?: string;
  readonly userId?: string;
  readonly chatId?: string;
  readonly chatType?: string;
  /** Sessions that ran in this folder or below it; `/` and `\` both separate. */
  readonly cwdPrefix?: string;
  readonly endReason?: string;
  readonly titleLike?: string;
  readonly modelLike?: string;
  readonly branchLike?: string;
  /** Who was paid; case does not matter. */
  readonly provider?: string;
  /** REAL seconds; the moment itself is not before itself. */
  readonly startedBeforeSeconds?: number;
  /** REAL seconds; the moment itself counts. */
  readonly startedAfterSeconds?: number;
  /** As for the start, of the last activity: the later of heartbeat and newest message, else the start. */
  readonly lastActiveBeforeSeconds?: number;
  readonly lastActiveAfterSeconds?: number;
  readonly minMessageCount?: number;
  readonly maxMessageCount?: number;
  readonly minToolCallCount?: number;
  readonly maxToolCallCount?: number;
  /** Input and output together. */
  readonly minTokens?: number;
  readonly maxTokens?: number;
  /** The actual cost, else the estimated one, else nothing. */
  readonly minCostUsd?: number;
  readonly maxCostUsd?: number;
}
