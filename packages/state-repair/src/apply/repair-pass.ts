import { throwIfAborted } from "@hermes/state-core";
import type { Clock, MaintenanceConnection } from "@hermes/state-core";
import type { CheckOutcome } from "../check/check-report.js";
import { checkConnection } from "../check/check-connection.js";
import { checkStore } from "../check/check-store.js";
import { NoCopy, takePrivateCopy } from "../check/file/private-copy.js";
import { takeForensicBundle } from "../evidence/bundle.js";
import type { ForensicBundle } from "../evidence/bundle-result.js";
import { presentParts, totalBytes } from "../evidence/file-parts.js";
import { checkScratchSpace } from "../evidence/space-guard.js";
import { openExclusiveGuard } from "../guard/exclusive-guard.js";
import { findLiveWriter, liveWriterRefusal } from "../guard/live-writer.js";
import { consumesAttempt } from "../ledger/consumes-attempt.js";
import type { Ledger } from "../ledger/ledger.js";
import { checkRepairBudget } from "../ledger/repair-budget.js";
import type { RepairPlan } from "../plan/repair-plan.js";
import { stateOf } from "../plan/state-of.js";
import { openSchema } from "../strategies/schema-rows.js";
import type { ApplyOptions } from "./apply-options.js";
import { isSoundAgain } from "./is-sound-again.js";
import { classifyTrouble } from "./classify-trouble.js";
import { recoverAdvice, refusalText } from "./explain-refusal.js";
import { operate } from "./operate.js";
import type { Operation } from "./operation.js";
import { findingsOf, promote } from "./promote.js";
import { refusedReport, repairedReport } from "./repair-report.js";
import type { RepairReport } from "./repair-report.js";
import { copyBehindGuard, removeScratch } from "./scratch.js";
import { reachStage } from "./stages.js";
import { isCutShort, wantsTreatment } from "./wants-treatment.js";

/** One pass over a damaged file, under the repair lock. */
export interface Pass {
  /** Canonical path. */
  readonly path: string;
  readonly plan: RepairPlan | undefined;
  readonly options: ApplyOptions & { readonly clock: Clock; readonly backup: boolean };
  readonly ledger: Ledger;
  /** Another repair had the lock when this one asked for it first. */
  readonly waited: boolean;
}

/** How a pass ended, and whether it spends one of the attempts on this file (REP-04). */
interface Ending {
  readonly report: RepairReport;
  readonly spends: boolean;
}

/** Runs a pass from its gates to its end, and keeps the record of attempts. */
export async function runPass(pass: Pass): Promise<RepairReport> {
  reachStage(pass.path, "locked");
  const { report, spends } = await gates(pass);
  if (report.repaired) pass.ledger.clear();
  else if (spends) pass.ledger.recordFailure();
  return { ...report, warnings: [...report.warnings, ...pass.ledger.warnings] };
}

/** What may end a pass before anything is opened for surgery, in the order of the test book (4.1). */
async function gates(pass: Pass): Promise<Ending> {
  const { path, options, ledger } = pass;
  const { backup, space, onProgress, signal } = options;
  const spent = checkRepairBudget(path, ledger, { backup, ...(space && { space }) });
  if (spent && !(await isSoundAgain(path, options))) return kept(refusedReport(path, "exhausted", spent.message));
  const writer = findLiveWriter(path, {
    ...(options.driver && { driver: options.driver }),
    ...(options.holders && { scan: options.holders }),
  });
  if (writer) return kept(refusedReport(path, "live", liveWriterRefusal(path, "repair", writer).message));
  removeScratch(path);
  const check = await checkStore(path, { level: "full", clock: options.clock, onProgress, signal });
  if (!wantsTreatment(check)) return kept(sound(pass, check));
  const noDatabase = check.findings.find(({ code }) => ["zeroed", "foreign"].includes(code));
  if (noDatabase) {
    const text = refusalText(`${path} cannot be repaired`, [noDatabase.detail], recoverAdvice(path));
    return spending(refusedReport(path, "unreadable", text, { check }));
  }
  const outdated = await outdatedPlan(pass);
  if (outdated !== undefined) return kept(refusedReport(path, "plan-outdated", outdated, { check }));
  throwIfAborted(signal);
  return afterBundle(pass, check);
}

function sound({ path, waited }: Pass, check: CheckOutcome): RepairReport {
  return repairedReport(path, waited ? "repaired_by_other_process" : "already_healthy", { check });
}

async function outdatedPlan({ path, plan }: Pass): Promise<string | undefined> {
  if (plan === undefined || plan.state === (await stateOf(path))) return undefined;
  return `${path} is not what it was when the plan was made. Nothing was changed. Make a new plan and read it.`;
}

async function afterBundle(pass: Pass, check: CheckOutcome): Promise<Ending> {
  const { path, options } = pass;
  const { backup, clock, space, onProgress, signal } = options;
  let taken: ForensicBundle | undefined;
  if (backup) {
    const bundle = await takeForensicBundle(path, { clock, ...(space && { space }), onProgress, signal });
    if (bundle.kind === "refused") {
      const report = refusedReport(path, "no-backup", bundle.message, { check });
      return bundle.countsAsPass ? spending(report) : kept(report);
    }
    taken = bundle;
  }
  const backupPath = taken?.path ?? null;
  reachStage(path, "bundled");
  try {
    const hopeless = await withoutHope(pass, isCutShort(check));
    if (hopeless) return spending({ ...hopeless, backupPath });
    const ending = await surgery(pass, isCutShort(check), taken);
    return { ...ending, report: { ...ending.report, backupPath } };
  } catch (error) {
    const trouble = classifyTrouble(path, error);
    if (trouble === undefined) throw error;
    const report = refusedReport(path, trouble.reason, trouble.text, { check, backupPath });
    return { report, spends: consumesAttempt(error) };
  } finally {
    removeScratch(path);
  }
}

async function surgery(pass: Pass, cutShort: boolean, bundle: ForensicBundle | undefined): Promise<Ending> {
  const { path, options } = pass;
  const { driver, platform } = options;
  const seams = { ...(bundle && { bundle }), ...(driver && { driver }), ...(platform && { platform }) };
  using guard = openExclusiveGuard(path, { unsafe: true, ...seams });
  reachStage(path, "guarded");
  openSchema(guard);
  const journalModeBefore = String(guard.pragma("journal_mode"));
  guard.pragma("writable_schema=RESET");
  const space = checkScratchSpace(path, totalBytes(presentParts(path)), options.space);
  if (!space.enough) return kept(refusedReport(path, "no-space", space.message, { journalModeBefore }));
  const scratch = await copyBehindGuard(guard, path, options);
  reachStage(path, "copied");
  const operation = await operate(scratch, { ...options, cutShort });
  reachStage(path, "treated");
  const facts = factsOf(operation, journalModeBefore);
  if (operation.kind === "healthy") return kept(repairedReport(path, "already_healthy", facts));
  if (operation.kind !== "healed") return spending(refusedReport(path, operation.kind, whyNot(path, operation), facts));
  const other = otherThanPlanned(pass, operation);
  if (other !== undefined) return kept(refusedReport(path, "plan-outdated", other, facts));
  return bringHome(guard, pass, operation, facts);
}

/**
 * A log is moved into the file when the guard closes, as at every last close. Whoever cannot be helped keeps file and
 * log as they are: so a copy tells first whether there is hope.
 */
async function withoutHope({ path, options }: Pass, cutShort: boolean): Promise<RepairReport | undefined> {
  const { onProgress, signal } = options;
  if (!presentParts(path).some(({ suffix, bytes }) => suffix === "-wal" && bytes > 0)) return undefined;
  try {
    using copy = await takePrivateCopy(path, { onProgress, signal });
    const operation = await operate(copy.path, { onProgress, signal, cutShort });
    if (operation.kind === "healthy" || operation.kind === "healed") return undefined;
    return refusedReport(path, operation.kind, whyNot(path, operation), factsOf(operation, "wal"));
  } catch (error) {
    // No room for a copy elsewhere: the one behind the guard will tell.
    if (error instanceof NoCopy) return undefined;
    throw error;
  }
}

/** The guard lets nobody in before the last look, and goes back to the journal mode the file had. */
function bringHome(
  guard: MaintenanceConnection,
  { path }: Pass,
  { rows, steps }: Operation,
  facts: Partial<RepairReport>,
): Ending {
  if (rows === undefined) throw new RangeError("rows were proven before the copy was treated");
  promote(guard, path, steps, rows);
  const check = checkConnection(guard, { level: "full", writer: guard, shared: false });
  const mode = String(guard.pragma("journal_mode"));
  if (mode !== facts.journalModeBefore) guard.pragma(`journal_mode=${String(facts.journalModeBefore)}`);
  reachStage(path, "settled");
  const left = findingsOf(check);
  if (left.length > 0) {
    const reasons = left.map(({ detail }) => detail);
    const text = `${path} was treated and is still not sound: ${reasons.join("; ")}. ${recoverAdvice(path)}`;
    return spending(refusedReport(path, "not-healed", text, { ...facts, check }));
  }
  const strategies = steps.map(({ strategy }) => strategy);
  const changes = steps.flatMap((step) => step.changes);
  const last = strategies.at(-1) ?? "already_healthy";
  return kept(repairedReport(path, last, { ...facts, strategies, changes, check }));
}

function factsOf({ rows, after }: Operation, journalModeBefore: string): Partial<RepairReport> {
  const counts = rows && Object.fromEntries(Object.entries(rows.tables).map(([name, table]) => [name, table.rows]));
  return { journalModeBefore, rows: counts ?? null, check: after };
}

function whyNot(path: string, { kind, why, after }: Operation): string {
  if (kind === "rows-damaged") {
    return refusalText(`Rows of ${path} are damaged, and a repair keeps rows as they are`, why, recoverAdvice(path));
  }
  const reasons = [...why, ...findingsOf(after).map(({ detail }) => detail)];
  return refusalText(`No strategy healed ${path}`, reasons, recoverAdvice(path));
}

function otherThanPlanned({ path, plan }: Pass, { steps }: Operation): string | undefined {
  if (plan === undefined || plan.strategies === undefined) return undefined;
  const planned = plan.strategies.map(({ strategy }) => strategy).join(", ");
  const needed = steps.map(({ strategy }) => strategy).join(", ");
  if (planned === needed) return undefined;
  return `The plan for ${path} says ${planned || "nothing"}, and ${needed} is needed. Nothing was changed. Plan again.`;
}

function kept(report: RepairReport): Ending {
  return { report, spends: false };
}

function spending(report: RepairReport): Ending {
  return { report, spends: true };
}
