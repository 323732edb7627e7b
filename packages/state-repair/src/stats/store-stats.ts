import type { IndexState, SqliteCapabilities } from "@hermes/state-schema";

/** Facts about a store. Each stands on its own: null where it could not be found out. */
export interface StoreStats {
  readonly path: string;
  readonly exists: boolean;
  readonly pageCount: number | null;
  readonly pageSize: number | null;
  /** Pages that hold nothing and can be used again. */
  readonly freelistCount: number | null;
  /** Pages times page size: what the store takes, whatever the log holds. */
  readonly logicalSizeBytes: number | null;
  /** 0 without a log. */
  readonly walSizeBytes: number | null;
  readonly journalMode: string | null;
  readonly schemaVersion: number | null;
  /** Every table and column that this package knows is there; otherwise the first write adds them. */
  readonly schemaCurrent: boolean | null;
  readonly sqliteVersion: string | null;
  /** What the linked library can do for search. */
  readonly capabilities: SqliteCapabilities | null;
  /** What the search indexes can answer now. */
  readonly index: IndexState | null;
  readonly messages: number | null;
  readonly sessions: number | null;
  /** Which search indexes the file has, judged by its schema. */
  readonly ftsTables: Readonly<Record<"messages_fts" | "messages_fts_trigram" | "messages_fts_cjk", boolean>> | null;
  readonly ftsStorageVersion: number | null;
  /** A backfill of the index is under way. */
  readonly ftsRebuildPending: boolean | null;
  readonly ftsRebuildHighWater: number | null;
  readonly ftsRebuildProgress: number | null;
  /** Processes that have the file open, this one included; null where the system does not say. */
  readonly holdersCount: number | null;
}

/** Nothing is known. */
export function unknownStats(path: string, exists: boolean): StoreStats {
  return {
    path,
    exists,
    pageCount: null,
    pageSize: null,
    freelistCount: null,
    logicalSizeBytes: null,
    walSizeBytes: null,
    journalMode: null,
    schemaVersion: null,
    schemaCurrent: null,
    sqliteVersion: null,
    capabilities: null,
    index: null,
    messages: null,
    sessions: null,
    ftsTables: null,
    ftsStorageVersion: null,
    ftsRebuildPending: null,
    ftsRebuildHighWater: null,
    ftsRebuildProgress: null,
    holdersCount: null,
  };
}
