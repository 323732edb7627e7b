import type { SqliteCapabilities } from "../fts/capabilities.js";
import type { FtsLayout } from "../fts/index-state.js";
import type { RebuildAdmission } from "../sql/rebuild-admission.js";

/** Something an open could not do and left for later; the file is usable. */
export interface SchemaProblem {
  /** What was tried, in a few words. */
  readonly step: string;
  /** The raw error; the host turns it into its own type where it shows it. */
  readonly error: unknown;
}

/** What {@link initializeSchema} found and did. */
export interface SchemaReport {
  /** The tables were created now. */
  readonly created: boolean;
  /** The stamp before and after; undefined when there was none. */
  readonly versionBefore: number | undefined;
  readonly versionAfter: number | undefined;
  /** The file was stamped by a newer program: nothing was migrated or stamped. */
  readonly newer: boolean;
  readonly layout: FtsLayout;
  readonly capabilities: SqliteCapabilities;
  readonly addedTables: readonly string[];
  /** As `table.column`. */
  readonly addedColumns: readonly string[];
  readonly addedIndexes: readonly string[];
  readonly healed: SchemaHeals;
  /** Gates of the data migrations that ran to their end now. */
  readonly migrated: readonly number[];
  /** Gate of the migration that could not finish; it and what follows it run again at the next open (SCH-04). */
  readonly pausedAt: number | undefined;
  readonly index: IndexWork;
  readonly problems: readonly SchemaProblem[];
}

/** Defects of old files that an open puts right (SCH-03). */
export interface SchemaHeals {
  readonly routingKey: boolean;
  readonly usageKey: boolean;
  /** Messages whose `active` was NULL. */
  readonly nullActive: number;
  /** Sessions that lost a title which a newer session also has. */
  readonly duplicateTitles: number;
}

/** What an open did to the search index. */
export interface IndexWork {
  /** Triggers dropped because this runtime cannot serve them, or because the index is stale. */
  readonly droppedTriggers: readonly string[];
  /** The CJK index was marked stale before its triggers went (SCH-09). */
  readonly cjkMarkedStale: boolean;
  /** Broad update triggers that were narrowed (SCH-07). */
  readonly narrowedTriggers: readonly string[];
  /**
   * `created`, `reset` (emptied and put up for backfill), `recovered` (a stale one was replaced), `rebuilt`,
   * `detached`, or undefined when it was fine or had to wait.
   */
  readonly restored: "created" | "reset" | "recovered" | "rebuilt" | "detached" | undefined;
  /** Why a rebuild had to wait (SEA-09, SEA-10). */
  readonly deferred: Extract<RebuildAdmission, { kind: "deferred" }> | undefined;
  /** A backfill is still pending. */
  readonly pending: boolean;
}
