import { openMaintenanceConnection, throwIfAborted } from "@hermes/state-core";
import type { MaintenanceConnection, ProgressOptions } from "@hermes/state-core";
import { probeCapabilities } from "@hermes/state-schema";
import type { CheckFinding, CheckOutcome } from "../check/check-report.js";
import { finding } from "../check/findings.js";
import { openSchema, reloadSchema } from "../strategies/schema-rows.js";
import { reclaimPages } from "../strategies/reclaim-pages.js";
import { STRATEGIES } from "../strategies/strategies.js";
import type { Change, Diagnosis, Strategy, StrategyName, Treatment } from "../strategies/strategy.js";
import { inspectCopy } from "./inspect-copy.js";
import { judgePatient } from "./judge-patient.js";
import { wantsTreatment } from "./wants-treatment.js";
import { lostSince, proveRows } from "./rows-proof.js";
import type { RowsProof } from "./rows-proof.js";

/** One strategy that did something: what it treated, and what came of it. It is replayed on the live file. */
export interface Step {
  readonly strategy: StrategyName;
  readonly diagnosis: Diagnosis;
  readonly changes: readonly Change[];
  /** The file is to be compacted afterwards. */
  readonly compacts: boolean;
}

/** Damage can hide other damage: what one round brings to light, the next one treats. */
const ROUNDS = 3;

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

/** The rows of a treated file are not provably the rows it had. */
export class RowsChanged extends Error {
  override readonly name: string = "RowsChanged";
}

/** Compacting, which cannot be rolled back, has spoilt the copy: nothing more is tried on it. */
class CopySpoilt extends RowsChanged {
  override readonly name: string = "CopySpoilt";
}

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
  const reason = finding("unused-pages", "main", "The file is cut short.");
  const outcome = attempt(path, reclaimPages, [reason], rows);
  if (outcome.kind !== "done") {
    const why = outcome.kind === "idle" ? "it cannot be written anew" : outcome.message;
    return { ...operation, kind: "not-healed", why: [...operation.why, why] };
  }
  return { ...operation, kind: "healed", steps: [...steps, outcome.step], after: await inspectCopy(path, options) };
}

async function treatInTurn(
  path: string,
  before: CheckOutcome,
  rows: RowsProof,
  options: ProgressOptions,
): Promise<Operation> {
  const steps: Step[] = [];
  const why: string[] = [];
  let after = before;
  for (let round = 0; round < ROUNDS; round++) {
    const done = steps.length;
    for (const [index, strategy] of STRATEGIES.entries()) {
      throwIfAborted(options.signal);
      options.onProgress?.({ phase: strategy.name, done: index, total: STRATEGIES.length });
      const outcome = attempt(path, strategy, after.findings, rows);
      if (outcome.kind === "failed") why.push(`${strategy.name}: ${outcome.message}`);
      if (outcome.kind === "spoilt") return { kind: "not-healed", steps, before, after, rows, why: [outcome.message] };
      if (outcome.kind !== "done") continue;
      steps.push(outcome.step);
      after = await inspectCopy(path, options);
      if (!wantsTreatment(after)) return { kind: "healed", steps, before, after, rows, why };
    }
    if (steps.length === done) break;
  }
  // An index of a sound file that stays at odds with the linked library harms nobody.
  if (before.verdict === "healthy") return { kind: "healthy", steps: [], before, after: before, rows, why };
  return { kind: "not-healed", steps, before, after, rows, why };
}

type Attempt =
  | { readonly kind: "done"; readonly step: Step }
  | { readonly kind: "idle" }
  | { readonly kind: "failed" | "spoilt"; readonly message: string };

function attempt(path: string, strategy: Strategy, findings: readonly CheckFinding[], rows: RowsProof): Attempt {
  try {
    const step = treatCopy(path, strategy, findings, rows);
    return step === undefined ? { kind: "idle" } : { kind: "done", step };
  } catch (error) {
    if (!isExpected(error)) throw error;
    return { kind: error instanceof CopySpoilt ? "spoilt" : "failed", message: error.message };
  }
}

/** A strategy may run into whatever damage there is; only a mistake of ours is none of the file's. */
function isExpected(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

function treatCopy(
  path: string,
  strategy: Strategy,
  findings: readonly CheckFinding[],
  rows: RowsProof,
): Step | undefined {
  const diagnosis = diagnose(path, strategy, findings);
  if (diagnosis === undefined) return undefined;
  using connection = openMaintenanceConnection(path, { unsafe: true });
  connection.retakeBarriers();
  const { changes, leavesPages } = connection.transaction(() => treatProven(connection, strategy, diagnosis, rows));
  const compacts = leavesPages && compactCopy(connection, rows);
  return { strategy: strategy.name, diagnosis, changes, compacts };
}

/** On a connection of its own: what it meets must not follow the treatment. */
function diagnose(path: string, strategy: Strategy, findings: readonly CheckFinding[]): Diagnosis | undefined {
  using connection = openMaintenanceConnection(path, { unsafe: true });
  openSchema(connection);
  return strategy.diagnose({ connection, findings, capabilities: probeCapabilities(connection) });
}

function compactCopy(connection: MaintenanceConnection, rows: RowsProof): boolean {
  try {
    return compact(connection, rows);
  } catch (error) {
    if (!isExpected(error)) throw error;
    throw new CopySpoilt(`compacting: ${error.message}`);
  }
}

/**
 * One treatment inside the caller's transaction, with the proof that every row is as it was.
 *
 * @throws RowsChanged, and whatever the strategy ran into
 */
export function treatProven(
  connection: MaintenanceConnection,
  strategy: Strategy,
  diagnosis: Diagnosis,
  rows: RowsProof,
): Treatment {
  openSchema(connection);
  const treatment = strategy.treat(connection, diagnosis, probeCapabilities(connection));
  flushSearchIndexes(connection);
  requireRows(connection, rows);
  connection.pragma("writable_schema=RESET");
  return treatment;
}

/**
 * A search index keeps what it has learnt in memory until a savepoint or the commit, and a schema that is read again
 * makes a second index object that would not know of it.
 */
function flushSearchIndexes(connection: MaintenanceConnection): void {
  connection.exec("SAVEPOINT flush");
  connection.exec("RELEASE flush");
}

/** @throws RowsChanged when a table does not hold exactly the rows it held. */
export function requireRows(connection: MaintenanceConnection, rows: RowsProof): void {
  openSchema(connection);
  const lost = lostSince(rows, proveRows(connection));
  if (lost.length > 0) throw new RowsChanged(lost.join("; "));
}

/**
 * Writes the file anew without pages that belong to nothing, if the whole schema can be read: what cannot be read then
 * would be left out without a word.
 *
 * @returns False when it was not done.
 * @throws RowsChanged
 */
export function compact(connection: MaintenanceConnection, rows: RowsProof): boolean {
  if (reloadSchema(connection) !== undefined) return false;
  connection.retakeBarriers();
  connection.exec("VACUUM");
  requireRows(connection, rows);
  connection.pragma("writable_schema=RESET");
  return true;
}
