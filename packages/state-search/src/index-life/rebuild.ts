import { admitRebuild, checkKnownOptions } from "@hermes/state-core";
import type { RebuildOptions } from "./rebuild-options.js";
import type { RebuildReport } from "./rebuild-report.js";
import { type RebuildableStore, rebuildWith } from "./rebuild-with.js";
import { checkPause } from "./run-steps.js";

const OPTIONS = ["onProgress", "signal", "pauseMs", "pause", "force", "waitMs"];

/**
 * Builds the search indexes anew from the messages, whatever state they are in: they are replaced by empty ones in one
 * transaction and filled step by step, while searches stay whole. Two rebuilds of one file never run at once: it takes
 * the lock that Python's `fcntl.flock` takes too, and fails closed without it (SEA-09, SEA-10).
 *
 * @example
 * ```ts
 * const report = await rebuildIndexes(store, { onProgress: ({ phase, done, total }) => show(phase, done, total) });
 * if (!report.ok) show(`not rebuilt: ${report.reason}`);
 * ```
 * @returns What was rebuilt, or why nothing was.
 * @throws The signal's reason, between two steps; a later backfill goes on from there. TypeError and RangeError for
 * options; whatever a write throws.
 */
export async function rebuildIndexes(store: RebuildableStore, options: RebuildOptions = {}): Promise<RebuildReport> {
  checkKnownOptions("rebuildIndexes", options, OPTIONS);
  checkPause("rebuildIndexes", options);
  checkWait(options.waitMs);
  const { path, clock } = store;
  const besideOthers = options.force ?? false;
  return await rebuildWith(store, (waitMs) => admitRebuild({ path, clock, waitMs, besideOthers }), options);
}

function checkWait(waitMs: unknown): void {
  if (waitMs === undefined) return;
  if (typeof waitMs !== "number") throw new TypeError(`rebuildIndexes: waitMs must be a number, not ${typeof waitMs}.`);
  if (Number.isFinite(waitMs) && waitMs >= 0) return;
  throw new RangeError(`rebuildIndexes: waitMs must be 0 or more milliseconds, not ${waitMs}.`);
}
