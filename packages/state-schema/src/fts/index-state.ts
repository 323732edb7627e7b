/**
 * How the search index of a file is laid out, judged from stored SQL and never from the marker (SCH-05).
 *
 * - `none`: the file has no word index.
 * - `content-only`: the oldest files; external over `messages(content)`, so tool names and calls are not indexed.
 * - `mixed`: an old external index that a later writer refilled with inline text; its triggers and rows disagree.
 * - `0`: inline; one column holding content, tool name and tool calls.
 * - `1`: external, three columns, trigram with `tool_calls`.
 * - `2`: as 1, the trigram index without `tool_calls`.
 * - `3`: external over the projection view `messages_fts_src`.
 */
export type FtsLayout = "none" | "content-only" | "mixed" | 0 | 1 | 2 | 3;

/** One of the two derived indexes of a file. */
export interface IndexHalf {
  /** The virtual table exists. */
  readonly present: boolean;
  /** Insert, delete and update triggers all exist, so the index follows new writes. */
  readonly triggers: boolean;
  /** The linked SQLite can read it: its module and its tokenizer exist. */
  readonly readable: boolean;
}

/** A deferred backfill: a row is indexed if and only if `id <= progress || id > highWater`. */
export interface PendingBackfill {
  readonly progress: number;
  readonly highWater: number;
}

/** What the search indexes of a file can answer now; read in one transaction with the query that relies on it. */
export interface IndexState {
  readonly layout: FtsLayout;
  readonly word: IndexHalf;
  readonly trigram: IndexHalf;
  /** `fts_stale` is set: the indexes were detached and must not serve reads until they are rebuilt. */
  readonly stale: boolean;
  readonly pending: PendingBackfill | undefined;
}
