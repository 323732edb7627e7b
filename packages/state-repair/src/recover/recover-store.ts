import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { mkdirSync } from "node:fs";
import { totalBytes } from "../evidence/file-parts.js";
import { runStepsApart } from "../steps/run-steps.js";
import { checkNames } from "./check-names.js";
import { checkRecoverySpace } from "./check-space.js";
import { createOutput } from "./create-output.js";
import { finishOutput } from "./finish-output.js";
import { installOutput, writeReport } from "./install-output.js";
import { planRecovery, type RecoverOptions, type RecoverPlan } from "./recover-options.js";
import type { RecoveryReport } from "./recovery-report.js";
import { type Examined, rescueRows, type Rescued } from "./rescue-rows.js";
import { settleCopy } from "./settle-copy.js";
import { tableResults } from "./table-results.js";
import { isUnchanged, refuseHolders, sourceParts, takeCopy } from "./take-copy.js";
import { takeCensus } from "./take-census.js";
import { verifyOutput } from "./verify-output.js";
import { openWorkFolder, type WorkFolder } from "./work-folder.js";
import { isRecoverable, type RecoveryFacts, recoveryReport } from "./write-up.js";

type Begun = Pick<RecoveryFacts, "plan" | "space" | "source" | "settled" | "census"> & Examined;

async function begin(plan: RecoverPlan, work: WorkFolder): Promise<Begun> {
  const parts = sourceParts(plan.source);
  const bytes = totalBytes(parts);
  const target = plan.output === undefined ? undefined : dirname(plan.output);
  const space = checkRecoverySpace(bytes, work.path, target, plan.space);
  const copy = work.file("source.db");
  const source = await takeCopy(plan.source, parts, copy, plan);
  const settled = settleCopy(copy);
  const census = await runStepsApart(takeCensus(copy, settled), plan);
  return { plan, space, source, copy, settled, census };
}

/** Makes the output beside its place, whole and checked, or throws and leaves nothing. */
async function rescue(begun: Begun, path: string): Promise<Rescued> {
  const { plan, settled } = begun;
  const output = createOutput(path, plan.clock);
  try {
    const rescued = await runStepsApart(rescueRows(output, begun, plan), plan);
    plan.onProgress?.({ phase: "search index", done: 0, total: undefined });
    finishOutput(output, path, settled.schemaVersion, plan.clock);
    return rescued;
  } finally {
    output.close();
  }
}

const NOTHING_RESCUED = { tables: {}, mends: undefined, partialRows: [], bestEffort: false, verdict: undefined };

function onlyLooked(begun: Begun): RecoveryReport {
  const sourceUnchanged = isUnchanged(begun.plan.source, begun.source);
  return recoveryReport({ ...begun, ...NOTHING_RESCUED, sourceUnchanged });
}

async function recoverTo(begun: Begun, output: string): Promise<RecoveryReport> {
  const { plan } = begun;
  using place = openWorkFolder(dirname(output), plan.clock);
  const path = place.file("output.db");
  const rescued = await rescue(begun, path);
  const tables = tableResults(rescued.copied, rescued.fill, begun.census.inspected);
  const names = Object.keys(tables).filter((name) => tables[name]?.status !== "missing");
  const verdict = await verifyOutput(path, names, rescued.bestEffort, plan);
  const report = recoveryReport({
    ...begun,
    tables,
    mends: rescued.mends,
    partialRows: rescued.fill?.partialRows ?? [],
    bestEffort: rescued.bestEffort,
    verdict,
    sourceUnchanged: isUnchanged(plan.source, begun.source),
  });
  if (report.status === "failed") return report;
  installOutput(path, output);
  return report;
}

/** What was made up for the occasion goes; where a folder had to be made, it stays with its output. */
function prepareFolders({ output, workDir }: RecoverPlan): string {
  if (output !== undefined) mkdirSync(dirname(output), { recursive: true });
  return workDir ?? (output === undefined ? tmpdir() : dirname(output));
}

/**
 * Writes everything readable of a damaged store to a new file. SQLite never opens the source: it is copied, with its
 * sidecars, and the copy is read through SQLite where that works and page by page where it does not. Messages are kept
 * under placeholder sessions when their own are gone. The output appears under its name only when it is finished and
 * has passed a full check, and never in the place of the source.
 *
 * @returns The report; `status` is `failed` when no output was written.
 * @example
 * ```ts
 * const { status, counts } = await recoverStore({ source: "state.db", output: "recovered.db", allowPartial: true });
 * ```
 * @throws TypeError or RangeError for options that cannot be meant; STATE_E_STORE_MISSING; STATE_E_STORE_HELD,
 * STATE_E_LIVE_CONNECTION or STATE_E_SOURCE_CHANGED when somebody uses the source; STATE_E_OUTPUT_EXISTS,
 * STATE_E_OUTPUT_IS_SOURCE, STATE_E_REPORT_EXISTS; STATE_E_DISK_FULL; the signal's reason. Nothing is left then.
 * Source of the rule: REP-09.
 */
export async function recoverStore(options: RecoverOptions): Promise<RecoveryReport> {
  const plan = planRecovery(options);
  checkNames(plan);
  sourceParts(plan.source);
  if (plan.output !== undefined) refuseHolders(plan.source);
  using work = openWorkFolder(prepareFolders(plan), plan.clock);
  const begun = await begin(plan, work);
  const { output, reportPath } = plan;
  const hopeless = !plan.allowPartial && !isRecoverable(begun);
  const report = output === undefined || hopeless ? onlyLooked(begun) : await recoverTo(begun, output);
  if (reportPath !== undefined && (report.status !== "failed" || options.reportPath !== undefined))
    writeReport(report, reportPath);
  return report;
}
