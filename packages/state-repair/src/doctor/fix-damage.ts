import type { ProgressOptions, Clock } from "@hermes/state-core";
import { applyRepair } from "../apply/apply-repair.js";
import type { DoctorFix } from "./doctor-report.js";

const LOCK_WAIT_MS = 10_000;

/** Repairs what a check found damaged, with every guard of a repair: it refuses while anybody has the file open. */
export async function fixDamage(
  path: string,
  { clock, onProgress, signal }: ProgressOptions & { readonly clock: Clock },
): Promise<DoctorFix[]> {
  const report = await applyRepair(path, { clock, lockWaitMs: LOCK_WAIT_MS, onProgress, signal });
  if (!report.repaired) return [{ code: "repair", outcome: "refused", text: report.error ?? "Nothing was changed." }];
  const how = report.strategies.length === 0 ? "" : ` (${report.strategies.join(", ")})`;
  const kept = report.backupPath === null ? "" : ` The damaged files are kept at ${report.backupPath}.`;
  return [{ code: "repair", outcome: "done", text: `The store is sound again${how}.${kept}` }];
}
