import type { ProgressOptions } from "@hermes/state-core";
import type { CheckOutcome } from "../check/check-report.js";
import type { Change, Diagnosis, StrategyName } from "../strategies/strategy.js";
import type { RowsProof } from "./rows-proof.js";

/** One strategy that did something: what it treated, and what came of it. It is replayed on the live file. */
export interface Step {
  readonly strategy: StrategyName;
  readonly diagnosis: Diagnosis;
  readonly changes: readonly Change[];
  /** The file is to be compacted afterwards. */
  readonly compacts: boolean;
}

/** What surgery on a copy came to. */
export interface Operation {
  /**
   * - `healthy`: there was nothing to treat;
   * - `healed`: the steps make it sound, and every row is proven unchanged;
   * - `rows-damaged`: the rows themselves are, so nothing was tried;
   * - `not-healed`: everything was tried.
   */
  readonly kind: "healthy" | "healed" | "rows-damaged" | "not-healed";
  readonly steps: readonly Step[];
  readonly before: CheckOutcome;
  readonly after: CheckOutcome;
  /** What the file held; undefined where it cannot be read at all. */
  readonly rows: RowsProof | undefined;
  /** Why not, in words. */
  readonly why: readonly string[];
}

/** How to operate. */
export interface OperateOptions extends ProgressOptions {
  /** The end of the file is missing, which a copy does not show. */
  readonly cutShort?: boolean;
}
