import { reclaimPages } from "../strategies/reclaim-pages.js";
import { inspectCopy } from "./inspect-copy.js";
import { judgePatient } from "./judge-patient.js";
import type { OperateOptions, Operation } from "./operation.js";
import type { RowsProof } from "./rows-proof.js";
import { attemptOnCopy } from "./treat-copy.js";
import { treatInTurn } from "./treat-in-turn.js";
import { wantsTreatment } from "./wants-treatment.js";

/**
 * Tries the strategies on a copy, least destructive first, and looks again after each. A strategy that fails, or after
 * which the rows are not provably the same, is rolled back as if it had not been (REP-06, REP-07).
 *
 * @param path - A copy that nobody else has open; it is changed.
 */
export async function operate(path: string, options: OperateOptions): Promise<Operation> {
  const before = await inspectCopy(path, options);
  const judgement = judgePatient(path);
  const start = { before, after: before, rows: judgement.rows, steps: [], why: [] };
  if (judgement.kind === "rows-damaged") return { ...start, kind: "rows-damaged", why: judgement.why };
  const operation = wantsTreatment(before)
    ? await treatInTurn(path, before, judgement.rows, options)
    : { ...start, kind: "healthy" as const };
  return options.cutShort ? rewritten(path, operation, judgement.rows, options) : operation;
}

/** A copy has all of its pages again; the file itself gets them when it is written anew. */
async function rewritten(
  path: string,
  operation: Operation,
  rows: RowsProof,
  options: OperateOptions,
): Promise<Operation> {
  const { kind, steps } = operation;
  if (kind === "not-healed" || steps.some(({ compacts }) => compacts)) return operation;
  const outcome = attemptOnCopy(path, reclaimPages, ["main"], rows);
  if (outcome.kind !== "done") {
    return { ...operation, kind: "not-healed", why: [...operation.why, outcome.message] };
  }
  return { ...operation, kind: "healed", steps: [...steps, outcome.step], after: await inspectCopy(path, options) };
}
