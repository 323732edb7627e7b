import { statSync } from "node:fs";
import { canonicalPath, checkKnownOptions, systemClock } from "@hermes/state-core";
import { checkStore } from "../check/check-store.js";
import { isWritable } from "../check/file/choose-place.js";
import { REPAIR_LOCK_WAIT_MS, repairLockRefusal, withRepairLock } from "../guard/repair-lock.js";
import type { RepairLockResult } from "../guard/repair-lock.js";
import { openLedger } from "../ledger/ledger.js";
import { checkRepairBudget } from "../ledger/repair-budget.js";
import type { RepairPlan } from "../plan/repair-plan.js";
import { APPLY_OPTION_NAMES } from "./apply-options.js";
import type { ApplyOptions } from "./apply-options.js";
import { isSoundAgain } from "./is-sound-again.js";
import { MAKE_WRITABLE, refusalText } from "./explain-refusal.js";
import { runPass } from "./repair-pass.js";
import type { Pass } from "./repair-pass.js";
import { refusedReport, repairedReport } from "./repair-report.js";
import type { RepairReport } from "./repair-report.js";

/**
 * Heals a damaged store, or says why it does not. Surgery happens on a copy, behind a guard that keeps everybody out,
 * and reaches the file in one transaction only when every row is proven unchanged (REP-06). The damaged files are
 * copied first. Nothing is changed while anybody has the file open.
 *
 * @param target - A plan of {@link planRepair}, which is refused when the file is another one by now, or the path.
 * @returns What was done. A refusal is an answer and not an error: see `reason` and `error`.
 * @throws TypeError for unknown options; the reason of an aborted `signal`, with the file as it was.
 * @example
 * ```ts
 * const plan = await planRepair("state.db");
 * const { repaired, strategy, error } = await applyRepair(plan);
 * ```
 * Source of the rule: REP-06, REP-07, REP-12.
 */
export async function applyRepair(target: string | RepairPlan, options: ApplyOptions = {}): Promise<RepairReport> {
  checkKnownOptions("applyRepair", options, APPLY_OPTION_NAMES);
  const plan = typeof target === "string" ? undefined : target;
  const path = canonicalPath(typeof target === "string" ? target : target.path);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    return refusedReport(path, "missing", `${path} does not exist. Name the damaged file.`);
  }
  if (!isWritable(path)) {
    const text = refusalText(`Could not repair ${path}`, ["the file or its folder is read-only"], MAKE_WRITABLE);
    return refusedReport(path, "not-writable", text);
  }
  const { clock = systemClock, backup = true, lockWaitMs = REPAIR_LOCK_WAIT_MS } = options;
  const ledger = openLedger(path, clock);
  const spent = checkRepairBudget(path, ledger, { backup, ...(options.space && { space: options.space }) });
  if (spent && !(await isSoundAgain(path, options))) return refusedReport(path, "exhausted", spent.message);
  const pass: Pass = { path, plan, options: { ...options, clock, backup }, ledger, waited: false };
  const once = await withRepairLock(path, clock, 0, () => runPass(pass), options.signal);
  const result =
    once.kind === "held" && lockWaitMs > 0
      ? await withRepairLock(path, clock, lockWaitMs, () => runPass({ ...pass, waited: true }), options.signal)
      : once;
  return result.kind === "ran" ? result.value : adopt(path, result, options);
}

/** Without the lock there is no surgery; what the other repair came to is the answer (REP-08). */
async function adopt(
  path: string,
  result: Exclude<RepairLockResult<never>, { kind: "ran" }>,
  { clock, onProgress, signal }: ApplyOptions,
): Promise<RepairReport> {
  const check = await checkStore(path, { level: "full", ...(clock && { clock }), onProgress, signal });
  if (check.verdict === "healthy") return repairedReport(path, "repaired_by_other_process", { check });
  return refusedReport(path, "locked", repairLockRefusal(path, result).message, { check });
}
