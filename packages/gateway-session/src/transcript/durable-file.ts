import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder, writePrivateFile } from "@hermes/state-core";
import { DRAFT_SUFFIX } from "./spool-names.js";
import { traceStep } from "./trace-step.js";

/** Writes a new file for its owner only, whole or not at all; it is on disk when this returns. */
export function writeDurably(path: string, text: string): void {
  const draft = path + DRAFT_SUFFIX;
  traceStep("draft-begun", path);
  try {
    writePrivateFile(draft, text);
    traceStep("draft-written", path);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  traceStep("draft-renamed", path);
  syncFolder(dirname(path));
  traceStep("spooled", path);
}
