import type { CheckVerdict } from "../../src/check/check-report.js";
import type { RepairReason } from "../../src/apply/repair-report.js";
import type { StrategyName } from "../../src/strategies/strategy.js";

/** One kind of damage, how it is made, and what the right answer to it is. */
export interface Recipe {
  /** Number in part 6 of the test book, with a letter where it has variants. */
  readonly number: string;
  readonly title: string;
  /** Journal mode of the store it is made on. Default `wal`. */
  readonly journal?: "wal" | "delete";
  /** Spoils a closed store. */
  damage(path: string): void | Promise<void>;
  /** What a check of the damaged file says. */
  readonly verdict: CheckVerdict;
  /** The strategies that heal it, in order; or why it is refused. */
  readonly answer: { readonly strategies: readonly StrategyName[] } | { readonly refused: RepairReason };
  /** False where the damage itself took rows away: then nothing can be compared. Default true. */
  readonly rowsIntact?: boolean;
}
