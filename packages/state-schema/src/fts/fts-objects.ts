/** A named statement that creates one object. */
export interface FtsStatement {
  readonly name: string;
  readonly sql: string;
}

/** Everything one index of a layout consists of. */
export interface FtsHalfObjects {
  /** Columns of the virtual table. */
  readonly columns: readonly string[];
  /** Where a backfill reads its rows: a table or view with `id` and the columns above. */
  readonly source: string;
  readonly table: FtsStatement;
  readonly views: readonly FtsStatement[];
  readonly triggers: readonly FtsStatement[];
}

/** The two indexes of a layout; the oldest files have no trigram index. */
export interface FtsObjects {
  readonly word: FtsHalfObjects;
  readonly trigram: FtsHalfObjects | undefined;
}
