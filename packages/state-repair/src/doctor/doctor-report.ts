import type { CheckReport, CheckVerdict } from "../check/check-report.js";
import type { StoreStats } from "../stats/store-stats.js";

/** How much a line matters: `problem` needs an action, `warning` deserves one, `note` and `ok` need none. */
export type DoctorLevel = "ok" | "note" | "warning" | "problem";

/** One thing the doctor says. */
export interface DoctorLine {
  readonly level: DoctorLevel;
  /** Stable name: `size`, `rows`, `search-index`, `access`, `modes`, `log`, or the code of a finding. */
  readonly code: string;
  readonly text: string;
  /** What to do, in one sentence; null when there is nothing to do. */
  readonly action: string | null;
}

/** Something the doctor did, or would not do. */
export interface DoctorFix {
  readonly code: "access" | "modes" | "repair" | "stale-index" | "backfill" | "log";
  readonly outcome: "done" | "refused" | "failed";
  readonly text: string;
}

/** What the doctor found and, asked to, fixed. */
export interface DoctorReport {
  readonly path: string;
  readonly exists: boolean;
  /** Of the last look: after the fixes, where there were any. */
  readonly verdict: CheckVerdict;
  /** What was found before anything was fixed. */
  readonly lines: readonly DoctorLine[];
  readonly fixes: readonly DoctorFix[];
  /** As of the last look. */
  readonly stats: StoreStats;
  /** As of the last look. */
  readonly check: CheckReport;
}
