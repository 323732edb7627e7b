import { dirname } from "node:path";
import { checkBundleSpace } from "@hermes/state-repair";
import type { SpaceProbe } from "@hermes/state-repair";
import { noRoom } from "./backup-errors.js";

/**
 * Refuses when a file would leave less than the reserve free that repair keeps, too: max(256 MiB, 2 % of the volume).
 *
 * @param target - The file that will be written.
 * @throws STATE_E_DISK_FULL; also when the system cannot say.
 */
export function checkRoom(target: string, purpose: string, bytes: number, space: SpaceProbe | undefined): void {
  const verdict = checkBundleSpace(target, bytes, space);
  if (!verdict.enough) throw noRoom(dirname(target), purpose, bytes, verdict.freeBytes);
}
