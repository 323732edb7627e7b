import type { SqliteCapabilities } from "../fts/capabilities.js";
import type { IndexWork, SchemaHeals, SchemaProblem } from "./schema-report.js";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A report while it is being written. */
export interface ReportDraft {
  readonly capabilities: SqliteCapabilities;
  created: boolean;
  readonly addedTables: string[];
  readonly addedColumns: string[];
  readonly addedIndexes: string[];
  readonly healed: Writable<SchemaHeals>;
  readonly migrated: number[];
  pausedAt: number | undefined;
  readonly index: Writable<IndexWork>;
  readonly problems: SchemaProblem[];
  /** The file stayed locked: nothing more is tried at this open. */
  locked: boolean;
}

/** An empty draft. */
export function createReportDraft(capabilities: SqliteCapabilities): ReportDraft {
  return {
    capabilities,
    created: false,
    addedTables: [],
    addedColumns: [],
    addedIndexes: [],
    healed: { routingKey: false, usageKey: false, nullActive: 0, duplicateTitles: 0 },
    migrated: [],
    pausedAt: undefined,
    index: {
      droppedTriggers: [],
      cjkMarkedStale: false,
      narrowedTriggers: [],
      restored: undefined,
      deferred: undefined,
      pending: false,
    },
    problems: [],
    locked: false,
  };
}
