import { channel } from "node:diagnostics_channel";

/**
 * Where a repair is: published as `{ path, stage }`, for tracing and for tests that end the process there.
 *
 * Up to `promote` the live file is as it was; from `promoted` on it is sound or wants compacting only.
 */
export type RepairStage =
  "locked" | "bundled" | "guarded" | "copied" | "treated" | "promoting" | "promoted" | "compacted" | "settled";

const stages = channel("hermes:state:repair");

/** Tells whoever listens how far the repair of a file is. */
export function reachStage(path: string, stage: RepairStage): void {
  if (stages.hasSubscribers) stages.publish({ path, stage });
}
