import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DRAFT_SUFFIX } from "./spool-names.js";
import { traceStep } from "./trace-step.js";

const PRIVATE_MODE = 0o600;

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  // Windows has no descriptor of a folder; its file system orders renames itself.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a new file for its owner only; a file of that name is an error. Its bytes are on disk when this returns. */
export function writeSynced(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const descriptor = openSync(path, "wx", PRIVATE_MODE);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a new file for its owner only, whole or not at all; it is on disk when this returns. */
export function writeDurably(path: string, text: string): void {
  const draft = path + DRAFT_SUFFIX;
  traceStep("draft-begun", path);
  try {
    writeSynced(draft, text);
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
