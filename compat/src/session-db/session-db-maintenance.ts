import type { MaintenanceOutcome } from "@hermes/state-core";
import { callArguments } from "./call-arguments.js";
import { given } from "./given.js";
import { SessionDbRetention } from "./session-db-retention.js";

/** What automatic maintenance may do, and how often. */
export interface AutoPruneOptions {
  /** Default 90. */
  readonly retentionDays?: number | null;
  /** Default 24. */
  readonly minIntervalHours?: number | null;
  /** Compact the file when it is worth it. Default true. */
  readonly vacuum?: boolean | null;
  readonly sessionsDir?: string | null;
  /** Default 30. */
  readonly minVacuumIntervalDays?: number | null;
}

/** What it did. */
export interface AutoPruneResult {
  /** It was not due, or somebody else does it. */
  readonly skipped: boolean;
  readonly pruned: number;
  readonly closed: number;
  readonly vacuumed: boolean;
  readonly freelistRatio?: number;
  readonly error?: string;
}

/** How idle a conversation must be to be archived, and how often to look. */
export interface AutoArchiveOptions {
  /** Default 3. */
  readonly idleDays?: number | null;
  /** Default 24. */
  readonly minIntervalHours?: number | null;
  /** Default true. */
  readonly excludePinned?: boolean | null;
}

/** What it did. */
export interface AutoArchiveResult {
  readonly skipped: boolean;
  readonly archived: number;
  readonly error?: string;
}

/** No file has a larger share of free pages. */
const NEVER = 1;

function outcome({ skipped, error }: MaintenanceOutcome): { skipped: boolean; error?: string } {
  return { skipped: skipped !== undefined, ...(error && { error: error.message }) };
}

/** What the one-object store does by itself when somebody asks it to. */
export abstract class SessionDbMaintenance extends SessionDbRetention {
  /**
   * Closes what was left open, prunes and compacts, if that is due and no other process does it. It never fails: what
   * went wrong is in the result.
   *
   * @throws TypeError or RangeError for impossible options only.
   */
  maybeAutoPruneAndVacuum(options?: AutoPruneOptions): AutoPruneResult;
  maybeAutoPruneAndVacuum(
    retentionDays?: number | null,
    minIntervalHours?: number | null,
    vacuum?: boolean | null,
    sessionsDir?: string | null,
    minVacuumIntervalDays?: number | null,
  ): AutoPruneResult;
  maybeAutoPruneAndVacuum(...args: readonly unknown[]): AutoPruneResult {
    const names = ["retentionDays", "minIntervalHours", "vacuum", "sessionsDir", "minVacuumIntervalDays"];
    const options = given(callArguments("SessionDB.maybeAutoPruneAndVacuum", args, names) as AutoPruneOptions);
    const { retentionDays, minIntervalHours: intervalHours, sessionsDir: files } = options;
    const report = this.store.retention.autoMaintain({
      ...(retentionDays !== undefined && { retentionDays }),
      ...(intervalHours !== undefined && { intervalHours }),
      ...(files !== undefined && { files }),
      ...(options.minVacuumIntervalDays !== undefined && { vacuumIntervalDays: options.minVacuumIntervalDays }),
      ...(options.vacuum === false && { freelistRatio: NEVER }),
    });
    const { pruned, closed, vacuumed, freelistRatio } = report;
    const ratio = freelistRatio === undefined ? {} : { freelistRatio };
    return this.row({ ...outcome(report), pruned, closed, vacuumed, ...ratio });
  }

  /** Archives idle conversations, if that is due; as {@link SessionDbMaintenance.maybeAutoPruneAndVacuum} otherwise. */
  maybeAutoArchive(options?: AutoArchiveOptions): AutoArchiveResult;
  maybeAutoArchive(
    idleDays?: number | null,
    minIntervalHours?: number | null,
    excludePinned?: boolean | null,
  ): AutoArchiveResult;
  maybeAutoArchive(...args: readonly unknown[]): AutoArchiveResult {
    const names = ["idleDays", "minIntervalHours", "excludePinned"];
    const options = given(callArguments("SessionDB.maybeAutoArchive", args, names) as AutoArchiveOptions);
    const { idleDays, minIntervalHours: intervalHours, excludePinned = true } = options;
    const report = this.store.retention.autoArchive({
      ...(idleDays !== undefined && { idleDays }),
      ...(intervalHours !== undefined && { intervalHours }),
      includePinned: !excludePinned,
    });
    return this.row({ ...outcome(report), archived: report.archived });
  }
}
