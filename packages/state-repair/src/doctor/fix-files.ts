import { chmodSync, statSync } from "node:fs";
import { canonicalPath, hardenModes, openMaintenanceConnection } from "@hermes/state-core";
import { messageOf } from "../check/engine-error.js";
import type { StoreStats } from "../stats/store-stats.js";
import { accessProblems, openModes } from "./access-problems.js";
import type { DoctorLimits } from "./doctor-limits.js";
import type { DoctorFix } from "./doctor-report.js";
import { mebibytes } from "./store-lines.js";

/** Gives the owner of the files the bits that are missing. Nothing else of a mode changes, and nothing is deleted. */
export function fixAccess(path: string): DoctorFix[] {
  return accessProblems(path)
    .filter(({ missing }) => missing !== 0)
    .map(({ path: file, missing, command }) => {
      try {
        chmodSync(file, (statSync(file).mode & 0o7777) | missing);
        return { code: "access", outcome: "done", text: `${file} is readable and writable again.` };
      } catch (error) {
        return { code: "access", outcome: "failed", text: `${messageOf(error)}. Run as its owner: ${command}.` };
      }
    });
}

/** Makes the files of a store readable by their owner only. */
export function fixModes(path: string): DoctorFix[] {
  const open = openModes(path);
  if (open.length === 0) return [];
  hardenModes(path);
  const left = openModes(path);
  if (left.length === 0) return [{ code: "modes", outcome: "done", text: `${open.join(", ")}: yours alone now.` }];
  return [{ code: "modes", outcome: "failed", text: `${left.join(", ")} cannot be changed by this user.` }];
}

/**
 * Moves what a large log holds into the file, PASSIVE: nobody waits for it and nobody is waited for (COR-02).
 */
export function fixLog(path: string, { walSizeBytes, journalMode }: StoreStats, limits: DoctorLimits): DoctorFix[] {
  if (journalMode !== "wal" || walSizeBytes === null || walSizeBytes <= limits.logWarningBytes) return [];
  try {
    using connection = openMaintenanceConnection(canonicalPath(path));
    const sql = "PRAGMA wal_checkpoint(PASSIVE)";
    const { log = 0, checkpointed = 0 } = connection.get<{ log: number; checkpointed: number }>(sql) ?? {};
    const rest = log > checkpointed ? " The rest follows when nobody reads it any more." : "";
    const text = `${checkpointed} of ${log} pages of the log (${mebibytes(walSizeBytes)}) are in the store now.${rest}`;
    return [{ code: "log", outcome: "done", text }];
  } catch (error) {
    return [{ code: "log", outcome: "failed", text: `${messageOf(error)}.` }];
  }
}
