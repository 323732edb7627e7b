import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PRIVATE_MODE, StateError, syncFolder } from "@hermes/state-core";
import { isTaken } from "./check-names.js";
import type { RecoveryReport } from "./recovery-report.js";

function taken(path: string): StateError {
  return new StateError(
    "STATE_E_OUTPUT_EXISTS",
    `${path} appeared while the store was recovered, and is not overwritten. Move it away and recover again.`,
    { path },
  );
}

/**
 * Gives the finished file its name, all at once: a run that is killed leaves no half output. Nothing is overwritten.
 *
 * @throws STATE_E_OUTPUT_EXISTS
 */
export function installOutput(work: string, output: string): void {
  try {
    linkSync(work, output);
    rmSync(work);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw taken(output);
    // A file system without hard links: the name was free a moment ago.
    if (isTaken(output)) throw taken(output);
    renameSync(work, output);
  }
  syncFolder(dirname(output));
}

/** Writes the report as JSON, and never over another one. */
export function writeReport(report: RecoveryReport, path: string): void {
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`, { flag: "wx", mode: PRIVATE_MODE });
}
