import { acquireKernelLock, canonicalPath, LOCK_SUFFIX } from "@hermes/state-core";
import type { Clock, HolderScan } from "@hermes/state-core";
import { isWritable } from "../check/file/choose-place.js";
import { presentParts, totalBytes } from "../evidence/file-parts.js";
import { checkScratchSpace } from "../evidence/space-guard.js";
import type { SpaceProbe } from "../evidence/space-guard.js";
import { findLiveWriter, liveWriterRefusal } from "../guard/live-writer.js";
import { openLedger } from "../ledger/ledger.js";
import { checkRepairBudget } from "../ledger/repair-budget.js";
import type { PlanGuards } from "./repair-plan.js";
import { statSync } from "node:fs";

/** Seams of {@link lookAtGuards}. */
export interface GuardSeams {
  readonly space?: SpaceProbe;
  readonly holders?: (path: string) => HolderScan;
}

/** Asks every guard of a repair what it would say now. Nothing is created: a lock file that is not there is free. */
export function lookAtGuards(path: string, clock: Clock, { space, holders }: GuardSeams): PlanGuards {
  const writer = findLiveWriter(path, holders ? { scan: holders } : {});
  const ledger = openLedger(path, clock);
  const room = checkScratchSpace(path, totalBytes(presentParts(path)), space);
  return {
    inUse: writer ? liveWriterRefusal(path, "repair", writer).message : null,
    failedAttempts: ledger.failedAttempts(),
    exhausted: checkRepairBudget(path, ledger, { backup: true, ...(space && { space }) }) !== undefined,
    lock: lockState(path, clock),
    space: { enough: room.enough, freeBytes: room.freeBytes ?? null, neededBytes: room.neededBytes },
    writable: isWritable(path),
  };
}

function lockState(path: string, clock: Clock): PlanGuards["lock"] {
  const file = canonicalPath(path) + LOCK_SUFFIX.repair;
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return "free";
  const attempt = acquireKernelLock(file, 0, clock);
  if (attempt.kind !== "acquired") return attempt.kind;
  attempt.release();
  return "free";
}
