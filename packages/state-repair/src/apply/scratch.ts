import { closeSync, openSync, rmSync } from "node:fs";
import type { MaintenanceConnection, ProgressOptions } from "@hermes/state-core";
import { PRIVATE_MODE, REPAIR_NAME, SIDECAR_SUFFIXES, throwIfAborted } from "@hermes/state-core";

/** Where the strategies work: a copy beside the file, so that it is on the same volume. */
export function scratchPathOf(path: string): string {
  return path + REPAIR_NAME.scratch;
}

/** Removes the copy of this or an earlier repair, with whatever stands beside it. Under the repair lock. */
export function removeScratch(path: string): void {
  const scratch = scratchPathOf(path);
  for (const suffix of ["", ...SIDECAR_SUFFIXES]) rmSync(scratch + suffix, { force: true });
}

/**
 * Copies the file as its guard sees it, log included, while nobody else can write to it.
 *
 * @returns Path of the copy, readable by its owner only.
 */
export async function copyBehindGuard(
  guard: MaintenanceConnection,
  path: string,
  { onProgress, signal }: ProgressOptions,
): Promise<string> {
  const scratch = scratchPathOf(path);
  closeSync(openSync(scratch, "wx", PRIVATE_MODE));
  await guard.copyTo(scratch, (done, total) => {
    onProgress?.({ phase: "copy", done, total });
    throwIfAborted(signal);
  });
  return scratch;
}
