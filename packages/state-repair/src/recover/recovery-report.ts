/** A range of row keys that could not be read, ends included. */
export interface SkippedRange {
  readonly low: number;
  readonly high: number;
  readonly error: string;
}

/**
 * What became of one table: `complete` all of it is in the output, `partial` some of it is, `failed` none of it could
 * be read, `missing` the source has no such table.
 */
export interface TableRecovery {
  readonly status: "complete" | "partial" | "failed" | "missing";
  /** Rows that SQLite could read. */
  readonly copiedRows: number;
  /** Rows that were read and cannot stand in the output: without identity, or a second row of one key. */
  readonly excludedRows: number;
  readonly rangeQueries: number;
  readonly exactLookupRecovered: number;
  readonly skippedRowidRanges: readonly SkippedRange[];
  /** Keys in all skipped ranges together; they need not all have been rows. */
  readonly skippedRowidSpan: number;
  readonly queryLimitReached: boolean;
  /** Rows that only their page gave back. */
  readonly salvagedRows: number;
  /** Rows of which a cell was lost in part. */
  readonly partialRows: number;
  /** Rows whose layout is not known: only their first fields were kept. */
  readonly unrecognizedLayoutRows: number;
  readonly error: string | undefined;
}

/** A row of which only a part could be read. */
export interface PartialRow {
  readonly table: string;
  readonly rowid: number;
  readonly columns: readonly string[];
}

/** What was changed so that the output is consistent; each number counts rows. */
export interface RecoveryMends {
  /** Sessions made for messages whose own could not be read. */
  readonly placeholderSessions: number;
  readonly placeholderMessages: number;
  readonly clearedParents: number;
  readonly clearedPrompts: number;
  readonly replacedModelConfigs: number;
  readonly removedPrompts: number;
  /** Usage, locks and topic bindings of sessions that are gone. */
  readonly removedOrphans: number;
}

/** What inspection says of a table. */
export interface InspectedTable {
  readonly available: boolean;
  readonly columns: number;
  readonly rows: number;
  /** All of it was there and in order. */
  readonly sound: boolean;
  readonly error?: string;
}

/** One file of the source as it was copied. */
export interface SourcePart {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Room that was asked for before anything was copied. */
export interface RecoverySpace {
  readonly folder: string;
  readonly neededBytes: number;
  readonly freeBytes: number;
}

/** The answer of {@link recoverStore}; every number of it can be counted again in the output. */
export interface RecoveryReport {
  readonly operation: "inspect" | "recover";
  readonly source: string;
  readonly output: string | undefined;
  readonly reportPath: string | undefined;
  /** Recovery never puts its output in the place of the source. */
  readonly installed: false;
  /** `inspect` says `complete` when all can be recovered, `partial` when some can. */
  readonly status: "complete" | "partial" | "failed";
  /** Sessions and messages can be read in full. */
  readonly recoverable: boolean;
  /** The output passed every check and the source did not change meanwhile. */
  readonly verified: boolean;
  /** Rows came from pages, not through SQLite: always partial, however many there are. */
  readonly bestEffort: boolean;
  readonly sourceBundle: readonly SourcePart[];
  readonly sourceFingerprint: string | null;
  readonly sourceUnchanged: boolean;
  readonly diskSpace: readonly RecoverySpace[];
  readonly journalMode: string | undefined;
  readonly schemaVersion: number | undefined;
  readonly inspected: Readonly<Record<string, InspectedTable>>;
  readonly tables: Readonly<Record<string, TableRecovery>>;
  readonly mends: RecoveryMends;
  /** The first thousand of them; each table counts them all. */
  readonly partialRows: readonly PartialRow[];
  /** Rows in the output. */
  readonly counts: Readonly<Record<string, number>>;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}
