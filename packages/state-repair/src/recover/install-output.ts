import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StateError } from "@hermes/state-core";
import { isTaken } from "./check-names.js";
import type { RecoveryReport } from "./recovery-report.js";

const MODE = 0o600;

function taken(path: string): StateError {
  return new StateError(
    "STATE_E_OUTPUT_EXISTS",
    `${path} appeared while the store was recovered, and is not overwritten. Move it away and recover again.`,
    { path },
  );
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
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
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`, { flag: "wx", mode: MODE });
}
