import { existsSync } from "node:fs";
import { openStateStore, StateError } from "@hermes/state-core";
import type { RepairPlan, RepairReport } from "@hermes/state-repair";
import { EXIT } from "../errors/exit-code.js";
import type { ExitCode } from "../errors/exit-code.js";
import { UsageError } from "../errors/usage-error.js";
import { canAsk, confirm } from "../input/confirm.js";
import { withProgress } from "../output/progress.js";
import { writeDocument } from "../output/write-document.js";
import { locateStore } from "../store/locate-store.js";
import type { Verb, VerbContext } from "../verb.js";
import { planText, reportText } from "./repair-text.js";

/** Options of `repair`. */
export interface RepairVerbOptions {
  readonly plan?: boolean;
  readonly apply?: boolean;
  /** False with `--no-backup`. */
  readonly backup: boolean;
}

const EXIT_OF_REASON: Readonly<Record<NonNullable<RepairReport["reason"]>, ExitCode>> = {
  missing: EXIT.notFound,
  exhausted: EXIT.failed,
  locked: EXIT.busy,
  live: EXIT.busy,
  "no-backup": EXIT.failed,
  "no-space": EXIT.failed,
  "plan-outdated": EXIT.failed,
  "rows-damaged": EXIT.corrupt,
  "not-healed": EXIT.corrupt,
  unreadable: EXIT.corrupt,
  "not-writable": EXIT.failed,
};

function checkLine({ options }: VerbContext, { plan, apply, backup }: RepairVerbOptions): void {
  if (plan === true && apply === true) throw new UsageError("Either --plan or --apply: a plan changes nothing.");
  if (apply !== true && !backup) throw new UsageError("--no-backup belongs to --apply: a plan needs no backup.");
  if (apply === true && options.readonly === true) throw new UsageError("--apply writes: leave --readonly out.");
}

async function makePlan({ output, signal }: VerbContext, path: string): Promise<RepairPlan> {
  const { planRepair } = await import("@hermes/state-repair");
  return await withProgress(output, "Planning", (onProgress) => planRepair(path, { onProgress, signal }));
}

async function applyIt(
  { output, signal }: VerbContext,
  target: string | RepairPlan,
  backup: boolean,
): Promise<RepairReport> {
  const { applyRepair } = await import("@hermes/state-repair");
  return await withProgress(output, "Repairing", (onProgress) => applyRepair(target, { backup, onProgress, signal }));
}

/** Shows the plan and asks; a plan that would do nothing is not asked about. */
async function agreed({ output }: VerbContext, plan: RepairPlan, backup: boolean): Promise<boolean> {
  if (plan.outcome !== "repair") return true;
  output.notice(planText(output, plan));
  if (!backup) output.notice("Without a backup of the damaged files there is no way back.");
  return await confirm("Repair it now?");
}

function notAsked(path: string): StateError {
  return new StateError(
    "STATE_E_NOT_CONFIRMED",
    `Not repaired: ${path} would be changed, and there is no terminal to ask on. Read hermes-state repair --plan, ` +
      "then add --yes.",
    { path },
  );
}

async function apply(context: VerbContext, path: string, backup: boolean): Promise<ExitCode> {
  const { output, options } = context;
  let target: string | RepairPlan = path;
  if (options.yes !== true) {
    if (!canAsk()) throw notAsked(path);
    target = await makePlan(context, path);
    if (!(await agreed(context, target, backup))) {
      output.notice("Nothing was changed.");
      return EXIT.failed;
    }
  }
  const report = await applyIt(context, target, backup);
  await writeDocument(output, { report }, () => reportText(output, report));
  return report.reason === null ? EXIT.done : EXIT_OF_REASON[report.reason];
}

/**
 * Plans a repair, which changes nothing and is the default, or applies one. A plan exits 0 when there is nothing to do
 * and 1 otherwise; an applied repair 0 when the store is sound now, 4 while somebody has it open, 5 when only recovery
 * helps.
 */
export const repair: Verb<RepairVerbOptions> = async (context, options) => {
  checkLine(context, options);
  const { output } = context;
  const { path, named } = locateStore(context.options);
  // Not knowing the file that was named is no answer about a store.
  if (named) refuseMissing(path);
  context.handleInterrupts();
  if (options.apply === true) return await apply(context, path, options.backup);
  const plan = await makePlan(context, path);
  await writeDocument(output, { plan }, () => planText(output, plan));
  return plan.outcome === "healthy" ? EXIT.done : EXIT.failed;
};

/** The reading open knows how to say it. */
function refuseMissing(path: string): void {
  if (!existsSync(path)) openStateStore({ path, mode: "read" }).close();
}
