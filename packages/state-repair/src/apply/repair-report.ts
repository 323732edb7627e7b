import type { CheckOutcome } from "../check/check-report.js";
import type { Change, StrategyName } from "../strategies/strategy.js";

/**
 * Why a file was not repaired.
 *
 * - `missing`: there is no such file;
 * - `exhausted`: three passes have failed on exactly this file;
 * - `locked`: another repair has the lock, or it cannot be had here;
 * - `live`: somebody has the file open;
 * - `no-backup`: the forensic bundle was refused, so there was no surgery;
 * - `no-space`: not enough room for the working copies;
 * - `plan-outdated`: the file, or what heals it, is not what the plan was made for;
 * - `rows-damaged`: rows are damaged, and only recovery into a new file keeps what can be read of them;
 * - `not-healed`: every strategy was tried on the copy;
 * - `unreadable`: it is no database that SQLite opens;
 * - `not-writable`: the file or its folder cannot be written.
 */
export type RepairReason =
  | "missing"
  | "exhausted"
  | "locked"
  | "live"
  | "no-backup"
  | "no-space"
  | "plan-outdated"
  | "rows-damaged"
  | "not-healed"
  | "unreadable"
  | "not-writable";

/** What a repair came to. */
export interface RepairReport {
  readonly path: string;
  /** The file is sound now. */
  readonly repaired: boolean;
  /**
   * The last strategy that was needed; `already_healthy` when there was nothing to do, `repaired_by_other_process` when
   * another repair was faster; null when the file was not repaired.
   */
  readonly strategy: StrategyName | "already_healthy" | "repaired_by_other_process" | null;
  /** Every strategy that was needed, in order. */
  readonly strategies: readonly StrategyName[];
  /** What was made again, removed or lost; no row is ever among it. */
  readonly changes: readonly Change[];
  /** Main file of the forensic bundle; null when none was taken. */
  readonly backupPath: string | null;
  readonly reason: RepairReason | null;
  /** In words, with the next action; null when the file was repaired. */
  readonly error: string | null;
  readonly journalModeBefore: string | null;
  /** Rows of each table, proven unchanged; null when they were not read. */
  readonly rows: Readonly<Record<string, number>> | null;
  /** The last look at the file. */
  readonly check: CheckOutcome | null;
  readonly warnings: readonly string[];
}

const NOTHING = {
  strategy: null,
  strategies: [],
  changes: [],
  backupPath: null,
  reason: null,
  error: null,
  journalModeBefore: null,
  rows: null,
  check: null,
  warnings: [],
} as const;

/** A file that is sound, or has become so. */
export function repairedReport(
  path: string,
  strategy: NonNullable<RepairReport["strategy"]>,
  facts: Partial<RepairReport> = {},
): RepairReport {
  return { ...NOTHING, ...facts, path, repaired: true, strategy, reason: null, error: null };
}

/** A file that was left as it is. */
export function refusedReport(
  path: string,
  reason: RepairReason,
  error: string,
  facts: Partial<RepairReport> = {},
): RepairReport {
  return { ...NOTHING, ...facts, path, repaired: false, strategy: null, reason, error };
}
