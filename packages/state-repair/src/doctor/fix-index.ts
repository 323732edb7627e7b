import { openStateStore } from "@hermes/state-core";
import type { Clock, ProgressOptions } from "@hermes/state-core";
import { indexStatus, retryStaleRecovery, runBackfill } from "@hermes/state-search";
import type { StaleRetry } from "@hermes/state-search";
import type { CheckReport } from "../check/check-report.js";
import { messageOf } from "../check/engine-error.js";
import type { DoctorFix } from "./doctor-report.js";

const UNFINISHED = new Set(["index-stale", "index-pending", "index-detached"]);

/** True when a search index waits for work that any writing open begins or goes on with. */
export function hasUnfinishedIndex({ findings }: CheckReport): boolean {
  return findings.some(({ code }) => UNFINISHED.has(code));
}

/**
 * Finishes what a search index waits for: a stale one is replaced where nobody else has the file open, and a pending
 * backfill is run to its end beside living writers (SEA-08, SEA-11).
 */
export async function fixIndex(
  path: string,
  { clock, onProgress, signal }: ProgressOptions & { readonly clock: Clock },
): Promise<DoctorFix[]> {
  try {
    using store = openStateStore({ path, clock });
    const fixes = staleFix(retryStaleRecovery(store));
    if (indexStatus(store).pending === undefined) return fixes.length > 0 ? fixes : [opened()];
    const { steps } = await runBackfill(store, { onProgress, signal });
    return [...fixes, { code: "backfill", outcome: "done", text: `Older messages were indexed in ${steps} steps.` }];
  } catch (error) {
    signal?.throwIfAborted();
    return [{ code: "backfill", outcome: "failed", text: messageOf(error) }];
  }
}

/** The open itself has done it. */
function opened(): DoctorFix {
  return { code: "stale-index", outcome: "done", text: "The search index is complete." };
}

function staleFix(retry: StaleRetry): DoctorFix[] {
  switch (retry.kind) {
    case "recovered":
      return [{ code: "stale-index", outcome: "done", text: "The stale search index was replaced." }];
    case "deferred": {
      const pids = retry.holders.map(({ pid }) => pid).join(", ");
      const text = `The stale search index waits until the others are done (${retry.reason}: processes ${pids}).`;
      return [{ code: "stale-index", outcome: "refused", text }];
    }
    case "failed":
      return [{ code: "stale-index", outcome: "failed", text: retry.error.message }];
    case "continued":
      // What is left is run to its end by the caller, which then says so.
      return retry.pending ? [] : [{ code: "backfill", outcome: "done", text: "Older messages were indexed." }];
    case "idle":
      return [];
  }
}
