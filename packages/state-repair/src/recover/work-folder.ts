import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { acquireKernelLock } from "@hermes/state-core";
import type { Clock } from "@hermes/state-core";

/** How names of work folders begin; the folder is private and goes with the run. */
export const WORK_PREFIX = "hermes-session-recovery-";
const LOCK = "in-use.lock";

/** A private folder that vanishes with its scope, and with the next run when this one is killed. */
export interface WorkFolder extends Disposable {
  readonly path: string;
  file(name: string): string;
}

/** Removes the folders of runs that are over: their lock ended with their process. */
function sweep(parent: string, clock: Clock): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    const lock = join(folder, LOCK);
    if (!name.startsWith(WORK_PREFIX) || !statSync(lock, { throwIfNoEntry: false })?.isFile()) continue;
    const attempt = acquireKernelLock(lock, 0, clock);
    if (attempt.kind !== "acquired") continue;
    rmSync(folder, { recursive: true, force: true });
    attempt.release();
  }
}

/**
 * Makes a folder of mode 0700 in `parent`, and clears away what killed runs left there.
 *
 * @throws Error of the system when the folder cannot be made or locked.
 */
export function openWorkFolder(parent: string, clock: Clock): WorkFolder {
  mkdirSync(parent, { recursive: true });
  sweep(parent, clock);
  const path = mkdtempSync(join(parent, WORK_PREFIX));
  const lock = acquireKernelLock(join(path, LOCK), 0, clock);
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
      if (lock.kind === "acquired") lock.release();
    },
  };
}
