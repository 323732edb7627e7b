import { canonicalPath, checkKnownOptions, isStateError, systemClock } from "@hermes/state-core";
import type { Clock, HolderScan, ProgressOptions } from "@hermes/state-core";
import { recoverAdvice } from "../apply/explain-refusal.js";
import { operate } from "../apply/operate.js";
import type { Operation } from "../apply/operation.js";
import { isCutShort, wantsTreatment } from "../apply/wants-treatment.js";
import type { CheckReport } from "../check/check-report.js";
import { checkStore } from "../check/check-store.js";
import { messageOf } from "../check/engine-error.js";
import { NoCopy, takePrivateCopy } from "../check/file/private-copy.js";
import type { SpaceProbe } from "../evidence/space-guard.js";
import { lookAtGuards } from "./look-at-guards.js";
import type { PlanGuards, RepairPlan } from "./repair-plan.js";
import { stateOf } from "./state-of.js";

/** How to plan a repair. */
export interface PlanOptions extends ProgressOptions {
  readonly clock?: Clock;
  /** Room on the volume; asked of the system when not given. */
  readonly space?: SpaceProbe;
  /** Who has the file open; asked of the system when not given. */
  readonly holders?: (path: string) => HolderScan;
}

const OPTION_NAMES = ["clock", "space", "holders", "onProgress", "signal"] as const;

/**
 * Says what a repair would keep, change and lose, by trying it on a private copy elsewhere. Nothing of the file, and
 * nothing beside it, is changed or created.
 *
 * @param path - The damaged database.
 * @returns A plan to be read and handed to {@link applyRepair}; it can be stored as JSON.
 * @throws TypeError for unknown options; the reason of an aborted `signal`.
 * Source of the rule: REP-12.
 */
export async function planRepair(path: string, options: PlanOptions = {}): Promise<RepairPlan> {
  checkKnownOptions("planRepair", options, OPTION_NAMES);
  const { clock = systemClock, onProgress, signal } = options;
  const real = canonicalPath(path);
  const guards = lookAtGuards(real, clock, options);
  const state = await stateOrNothing(real);
  const check = await checkStore(real, { level: "full", clock, onProgress, signal });
  const trial = wantsTreatment(check) && check.exists ? await tryOnCopy(real, isCutShort(check), options) : undefined;
  const unchanged = state !== "" && (await stateOrNothing(real)) === state;
  return describe(real, unchanged ? state : "", check, trial, guards);
}

/** The empty state of a file that cannot be read now fits no file: such a plan can be read and not applied. */
async function stateOrNothing(path: string): Promise<string> {
  try {
    return await stateOf(path);
  } catch (error) {
    if (isStateError(error) || (error as { syscall?: unknown } | null)?.syscall !== undefined) return "";
    throw error;
  }
}

/** @returns What surgery on a copy came to, or why there is no copy. */
async function tryOnCopy(path: string, cutShort: boolean, options: PlanOptions): Promise<Operation | string> {
  const { onProgress, signal } = options;
  try {
    using copy = await takePrivateCopy(path, { onProgress, signal });
    return await operate(copy.path, { onProgress, signal, cutShort });
  } catch (error) {
    if (error instanceof NoCopy || isStateError(error)) return messageOf(error);
    throw error;
  }
}

function describe(
  path: string,
  state: string,
  check: CheckReport,
  trial: Operation | string | undefined,
  guards: PlanGuards,
): RepairPlan {
  const operation = typeof trial === "string" ? undefined : trial;
  const blockedBy = [...obstacles(guards), ...(typeof trial === "string" ? [trial] : [])];
  const outcome = outcomeOf(check, operation, blockedBy);
  const tables = operation?.rows && Object.entries(operation.rows.tables);
  const strategies = operation?.kind === "healed" ? operation.steps : [];
  return {
    kind: "hermes-repair-plan",
    version: 1,
    path,
    state,
    outcome,
    verdict: check.verdict,
    findings: check.findings,
    kept: tables ? Object.fromEntries(tables.map(([name, { rows }]) => [name, rows])) : null,
    ...(operation && {
      strategies: strategies.map(({ strategy, changes, compacts }) => ({ strategy, changes, compacts })),
    }),
    lost: strategies.flatMap(({ changes }) =>
      changes.filter(({ kind }) => kind === "lost").map(({ object, detail }) => `${object}: ${detail}`),
    ),
    reasons: operation?.why ?? [],
    guards,
    blockedBy,
    nextAction: nextAction(path, outcome, blockedBy),
  };
}

function outcomeOf(
  check: CheckReport,
  operation: Operation | undefined,
  blockedBy: readonly string[],
): RepairPlan["outcome"] {
  if (!wantsTreatment(check) || operation?.kind === "healthy") return "healthy";
  if (operation?.kind === "rows-damaged" || operation?.kind === "not-healed") return "recover";
  return blockedBy.length > 0 ? "blocked" : "repair";
}

function obstacles({ inUse, exhausted, failedAttempts, lock, space, writable }: PlanGuards): string[] {
  return [
    ...(inUse === null ? [] : [inUse]),
    ...(exhausted ? [`Repair has failed ${failedAttempts} times on exactly this file.`] : []),
    ...(lock === "free"
      ? []
      : [lock === "held" ? "Another repair is at work." : "The repair lock cannot be taken here."]),
    ...(space.enough ? [] : [`Not enough room: ${space.neededBytes} bytes are needed beside the file.`]),
    ...(writable ? [] : ["The file or its folder cannot be written by this user."]),
  ];
}

function nextAction(path: string, outcome: RepairPlan["outcome"], blockedBy: readonly string[]): string {
  switch (outcome) {
    case "healthy":
      return "Nothing to do.";
    case "repair":
      return "Apply it: hermes-state repair --apply.";
    case "recover":
      return recoverAdvice(path);
    case "blocked":
      return `Clear the way, then plan again: ${blockedBy[0] ?? ""}`.trimEnd();
  }
}
