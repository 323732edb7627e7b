import type { MaintenanceConnection } from "@hermes/state-core";
import type { SqliteCapabilities } from "@hermes/state-schema";
import type { CheckFinding } from "../check/check-report.js";

/** Ways to heal a file, least destructive first; what is left after them is offline recovery (REP-07). */
export type StrategyName =
  "rebuild_fts" | "reindex_btree" | "recreate_index" | "dedup_schema" | "drop_fts_rebuild" | "reclaim_pages";

/** What a strategy did to one object that is not a row of anybody's. */
export interface Change {
  /**
   * - `rebuilt`: filled again from the rows;
   * - `recreated`: its damaged remains were put aside and it was made anew;
   * - `removed`: an entry of the schema that was no object, or stood there twice;
   * - `lost`: gone, and nothing here knows how to make it again;
   * - `compacted`: the file was written anew without pages that belong to nothing.
   */
  readonly kind: "rebuilt" | "recreated" | "removed" | "lost" | "compacted";
  readonly object: string;
  readonly detail: string;
}

/** What a strategy looks at before anything is changed: a connection that nobody shares, and what a check found. */
export interface Patient {
  readonly connection: MaintenanceConnection;
  readonly findings: readonly CheckFinding[];
  readonly capabilities: SqliteCapabilities;
}

/** What a strategy will treat, by name. */
export type Diagnosis = readonly string[];

/** What a strategy did. */
export interface Treatment {
  readonly changes: readonly Change[];
  /** Pages were left behind that belong to nothing: the file wants compacting. */
  readonly leavesPages: boolean;
}

/** One way to heal a file. */
export interface Strategy {
  readonly name: StrategyName;
  /**
   * Says what it would treat, or undefined when nothing is for it. Runs outside of any transaction: once a read has met
   * damage inside one, the engine refuses every write of it.
   */
  diagnose(patient: Patient): Diagnosis | undefined;
  /**
   * Treats what was diagnosed inside the caller's transaction; whatever it throws ends in a rollback. The same
   * diagnosis gets the same treatment again when the work is promoted.
   */
  treat(connection: MaintenanceConnection, diagnosis: Diagnosis, capabilities: SqliteCapabilities): Treatment;
}
