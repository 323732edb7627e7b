import { channel } from "node:diagnostics_channel";

/** Where a backup is; up to `recorded` nothing has the name of one. `evicted`: the file of an older one is gone. */
export type BackupStage = "staged" | "copied" | "verified" | "recorded" | "published" | "evicted" | "rotated";

/**
 * Where a restore is. Up to `prepared` nothing of the store has changed; from `switched` on the path opens as the
 * restored store, and what follows only clears away.
 */
export type RestoreStage =
  "locked" | "kept" | "prepared" | "index-dropped" | "switched" | "journal-removed" | "replaced" | "settled";

const stages = channel("hermes:state:backup");

/** Tells whoever listens how far a backup or a restore is: for tracing, and for tests that end the process there. */
export function reachStage(path: string, stage: BackupStage | RestoreStage): void {
  if (stages.hasSubscribers) stages.publish({ path, stage });
}
