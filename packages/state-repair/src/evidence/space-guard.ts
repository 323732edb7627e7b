import { statfsSync } from "node:fs";
import { dirname } from "node:path";

const HEADROOM_FLOOR = 268_435_456;
const HEADROOM_SHARE = 0.02;
const SCRATCH_TIMES = 3;

/** Room on the volume of a folder, in bytes: what this user may still write, and all there is. */
export interface VolumeSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Asks the system for the room on a volume; injected so that a full one can be tested. */
export type SpaceProbe = (folder: string) => VolumeSpace;

/** What the guard compared; unknown numbers are undefined, and then `enough` is false. */
export interface SpaceVerdict {
  readonly enough: boolean;
  readonly freeBytes: number | undefined;
  readonly neededBytes: number;
  readonly headroomBytes: number | undefined;
  /** In words, with the next action; empty when there is enough. */
  readonly message: string;
}

/** The room on a volume as the system tells it. */
export const volumeSpace: SpaceProbe = (folder) => {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

function nextAction(path: string): string {
  return (
    "Nothing was changed. Free that much and run the repair again, or write what is readable to another volume: " +
    `hermes-state recover --source ${JSON.stringify(path)} --output FILE.`
  );
}

function ask(probe: SpaceProbe, folder: string): VolumeSpace | undefined {
  try {
    const space = probe(folder);
    return Number.isFinite(space.freeBytes) && Number.isFinite(space.totalBytes) ? space : undefined;
  } catch {
    // A volume that does not say how much room it has is treated as full.
    return undefined;
  }
}

function checkSpace(path: string, purpose: string, neededBytes: number, probe: SpaceProbe): SpaceVerdict {
  const space = ask(probe, dirname(path));
  if (!space || !Number.isFinite(neededBytes)) {
    const message = `Cannot tell how much room is free beside ${path}, and ${purpose} needs ${neededBytes} bytes.`;
    const unknown = { freeBytes: space?.freeBytes, headroomBytes: undefined };
    return { enough: false, neededBytes, ...unknown, message: `${message} ${nextAction(path)}` };
  }
  const { freeBytes } = space;
  const headroomBytes = Math.max(HEADROOM_FLOOR, Math.ceil(space.totalBytes * HEADROOM_SHARE));
  const enough = freeBytes - neededBytes >= headroomBytes;
  const missing = neededBytes + headroomBytes - freeBytes;
  const message =
    `Not enough room beside ${path} for ${purpose}: ${freeBytes} bytes are free, ${neededBytes} are needed and ` +
    `${headroomBytes} must stay free, so ${missing} are missing. ${nextAction(path)}`;
  return { enough, freeBytes, neededBytes, headroomBytes, message: enough ? "" : message };
}

/**
 * Whether a forensic bundle fits: free less needed leaves at least max(256 MiB, 2 % of the volume). Fails closed when
 * the system cannot say (REP-03).
 *
 * @param path - Canonical path of the database.
 * @param bundleBytes - Main file and every sidecar that is there.
 */
export function checkBundleSpace(path: string, bundleBytes: number, probe: SpaceProbe = volumeSpace): SpaceVerdict {
  return checkSpace(path, "a copy of the damaged files", bundleBytes, probe);
}

/**
 * Whether surgery on a scratch copy fits: the copy once, and twice more for a rewrite and the promotion (REP-03).
 *
 * @param path - Canonical path of the database.
 * @param bundleBytes - Main file and every sidecar that is there.
 */
export function checkScratchSpace(path: string, bundleBytes: number, probe: SpaceProbe = volumeSpace): SpaceVerdict {
  return checkSpace(path, "the working copies of a repair", SCRATCH_TIMES * bundleBytes, probe);
}
