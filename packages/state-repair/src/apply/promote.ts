import type { MaintenanceConnection } from "@hermes/state-core";
import { checkConnection } from "../check/check-connection.js";
import type { CheckFinding, CheckOutcome } from "../check/check-report.js";
import { STRATEGIES } from "../strategies/strategies.js";
import type { Strategy, StrategyName } from "../strategies/strategy.js";
import type { Step } from "./operation.js";
import type { RowsProof } from "./rows-proof.js";
import { reachStage } from "./stages.js";
import { compact, treatProven } from "./treat-proven.js";

/** What healed the copy did not heal the file; it was rolled back. */
export class NotPromoted extends Error {
  override readonly name: string = "NotPromoted";
}

/** Pages that belong to nothing: left by a treatment, and gone once the file is compacted. */
const LEFT_BEHIND: ReadonlySet<string> = new Set(["unused-pages", "free-pages"]);

/**
 * Brings the work that healed the copy to the live file, through the guard that has kept everybody out since before the
 * copy was taken: the same treatments in one transaction, which commits only when every row is proven unchanged and the
 * check is clean. A process that dies on the way leaves the file as it was, or sound but not compacted. The file is
 * never replaced, so no handle is left on another inode (REP-06).
 *
 * @throws NotPromoted when the file answers otherwise than its copy; nothing was changed then.
 */
export function promote(guard: MaintenanceConnection, path: string, steps: readonly Step[], rows: RowsProof): void {
  guard.retakeBarriers();
  reachStage(path, "promoting");
  guard.transaction(() => {
    for (const step of steps) repeat(guard, step, rows);
    const wrong = findingsOf(checkConnection(guard, { level: "full" })).filter(({ code }) => !LEFT_BEHIND.has(code));
    if (wrong.length > 0) throw new NotPromoted(wrong.map(({ detail }) => detail).join("; "));
  }, "EXCLUSIVE");
  reachStage(path, "promoted");
  if (!steps.some(({ compacts }) => compacts)) return;
  compact(guard, rows);
  reachStage(path, "compacted");
}

function repeat(guard: MaintenanceConnection, step: Step, rows: RowsProof): void {
  const { changes } = treatProven(guard, strategyOf(step.strategy), step.diagnosis, rows);
  if (JSON.stringify(changes) === JSON.stringify(step.changes)) return;
  throw new NotPromoted(`${step.strategy} did something else to the file than to its copy`);
}

function strategyOf(name: StrategyName): Strategy {
  const strategy = STRATEGIES.find((candidate) => candidate.name === name);
  if (strategy === undefined) throw new RangeError(`there is no strategy ${name}`);
  return strategy;
}

/** What decides about health. */
export function findingsOf({ findings }: CheckOutcome): CheckFinding[] {
  return findings.filter(({ severity }) => severity === "damage");
}
