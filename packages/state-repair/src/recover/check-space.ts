import { statSync } from "node:fs";
import { StateError } from "@hermes/state-core";
import type { SpaceProbe } from "../evidence/space-guard.js";
import type { RecoverySpace } from "./recovery-report.js";

const HEADROOM_FLOOR = 268_435_456;
const HEADROOM_SHARE = 0.05;

function headroom(bytes: number): number {
  return Math.max(HEADROOM_FLOOR, Math.ceil(bytes * HEADROOM_SHARE));
}

function ask(folder: string, neededBytes: number, probe: SpaceProbe): RecoverySpace {
  let freeBytes: number;
  try {
    ({ freeBytes } = probe(folder));
  } catch (cause) {
    // A volume that does not say how much room it has is treated as full.
    throw new StateError(
      "STATE_E_DISK_FULL",
      `Cannot tell how much room is free in ${folder}, and recovery needs ${neededBytes} bytes there. ` +
        "Name another folder with --work-dir, or another output.",
      { folder, neededBytes },
      { cause },
    );
  }
  if (freeBytes >= neededBytes) return { folder, neededBytes, freeBytes };
  throw new StateError(
    "STATE_E_DISK_FULL",
    `Recovery needs ${neededBytes} bytes in ${folder} and ${freeBytes} are free. Nothing was written. ` +
      "Free that much, or name a folder on another volume with --work-dir.",
    { folder, neededBytes, freeBytes },
  );
}

/**
 * Makes sure that the copy and the output fit: on one volume together, otherwise each on its own.
 *
 * @param bundleBytes - The source with its sidecars.
 * @param outputFolder - Undefined when nothing is recovered.
 * @throws STATE_E_DISK_FULL, before anything is written; also when the system cannot say (fail closed).
 */
export function checkRecoverySpace(
  bundleBytes: number,
  workFolder: string,
  outputFolder: string | undefined,
  probe: SpaceProbe,
): readonly RecoverySpace[] {
  if (outputFolder === undefined) return [ask(workFolder, bundleBytes + headroom(bundleBytes), probe)];
  if (statSync(workFolder).dev === statSync(outputFolder).dev) {
    return [ask(outputFolder, 2 * bundleBytes + headroom(2 * bundleBytes), probe)];
  }
  const each = bundleBytes + headroom(bundleBytes);
  return [ask(workFolder, each, probe), ask(outputFolder, each, probe)];
}
