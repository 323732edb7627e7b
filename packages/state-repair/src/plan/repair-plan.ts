import type { CheckFinding, CheckVerdict } from "../check/check-report.js";
import type { Change, StrategyName } from "../strategies/strategy.js";

/** One strategy of a plan, and what it does to the file. */
export interface PlannedStep {
  readonly strategy: StrategyName;
  readonly changes: readonly Change[];
  /** The file is written anew afterwards, without pages that belong to nothing. */
  readonly compacts: boolean;
}

/** What stands in the way of a repair now, or would. */
export interface PlanGuards {
  /** Who has the file open, in words; null when nobody was found. */
  readonly inUse: string | null;
  /** Passes that failed on exactly this file. */
  readonly failedAttempts: number;
  /** No further pass is made on this file. */
  readonly exhausted: boolean;
  /** Whether another repair has the lock. */
  readonly lock: "free" | "held" | "failed";
  readonly space: { readonly enough: boolean; readonly freeBytes: number | null; readonly neededBytes: number };
  /** The user may write the file and its folder. */
  readonly writable: boolean;
}

/**
 * What a repair would do, to be read before it is applied (REP-12). Plain data: it survives JSON.
 */
export interface RepairPlan {
  readonly kind: "hermes-repair-plan";
  readonly version: 1;
  /** Canonical path. */
  readonly path: string;
  /** Which bytes the plan is for; it is refused on any others. Empty when they could not be read. */
  readonly state: string;
  /**
   * - `healthy`: there is nothing to do;
   * - `repair`: the steps make the file sound;
   * - `recover`: rows are damaged, or nothing heals the file: only recovery into a new file helps;
   * - `blocked`: something stands in the way; see `blockedBy`.
   */
  readonly outcome: "healthy" | "repair" | "recover" | "blocked";
  readonly verdict: CheckVerdict;
  readonly findings: readonly CheckFinding[];
  /** Rows of each table, all of which are kept; null when they cannot be read. */
  readonly kept: Readonly<Record<string, number>> | null;
  /** What would be done, in order; undefined when it could not be tried on a copy. */
  readonly strategies?: readonly PlannedStep[];
  /** What would be gone afterwards. Never a row. */
  readonly lost: readonly string[];
  /** Why rows are in danger, or why no strategy helps. */
  readonly reasons: readonly string[];
  readonly guards: PlanGuards;
  /** What stands in the way, in words. */
  readonly blockedBy: readonly string[];
  /** The next action, in one sentence. */
  readonly nextAction: string;
}
