import { throwIfAborted } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import type { CheckFinding, CheckOutcome } from "../check/check-report.js";
import { STRATEGIES } from "../strategies/strategies.js";
import type { Diagnosis, Strategy } from "../strategies/strategy.js";
import { inspectCopy } from "./inspect-copy.js";
import type { Operation, Step } from "./operation.js";
import type { RowsProof } from "./rows-proof.js";
import { attemptOnCopy, diagnoseCopy } from "./treat-copy.js";
import { wantsTreatment } from "./wants-treatment.js";

/** More steps than this many kinds of damage could need. */
const MOST_STEPS = 12;

interface Candidate {
  readonly strategy: Strategy;
  readonly diagnosis: Diagnosis;
  /** The same strategy for the same objects. */
  readonly key: string;
}

/**
 * Treats a copy with the least destructive strategy that finds something to treat, looks again, and begins anew: damage
 * can hide other damage, and what a strategy failed at may work once something else is healed.
 */
export async function treatInTurn(
  path: string,
  before: CheckOutcome,
  rows: RowsProof,
  options: ProgressOptions,
): Promise<Operation> {
  const steps: Step[] = [];
  const why: string[] = [];
  const done = new Set<string>();
  const failed = new Set<string>();
  let after = before;
  while (steps.length < MOST_STEPS) {
    throwIfAborted(options.signal);
    const candidate = nextCandidate(path, after.findings, new Set([...done, ...failed]));
    if (candidate === undefined) break;
    const { strategy, diagnosis, key } = candidate;
    options.onProgress?.({ phase: strategy.name, done: steps.length, total: undefined });
    const outcome = attemptOnCopy(path, strategy, diagnosis, rows);
    if (outcome.kind !== "done") {
      why.push(`${strategy.name}: ${outcome.message}`);
      failed.add(key);
      if (outcome.kind === "spoilt") break;
      continue;
    }
    steps.push(outcome.step);
    done.add(key);
    failed.clear();
    after = await inspectCopy(path, options);
    if (!wantsTreatment(after)) return { kind: "healed", steps, before, after, rows, why };
  }
  // An index of a sound file that stays at odds with the linked library harms nobody.
  if (before.verdict === "healthy") return { kind: "healthy", steps: [], before, after: before, rows, why };
  return { kind: "not-healed", steps, before, after, rows, why };
}

function nextCandidate(
  path: string,
  findings: readonly CheckFinding[],
  tried: ReadonlySet<string>,
): Candidate | undefined {
  for (const strategy of STRATEGIES) {
    const diagnosis = diagnoseCopy(path, strategy, findings);
    const key = `${strategy.name} ${JSON.stringify(diagnosis)}`;
    if (diagnosis !== undefined && !tried.has(key)) return { strategy, diagnosis, key };
  }
  return undefined;
}
