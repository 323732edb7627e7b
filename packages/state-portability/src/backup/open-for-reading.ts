import { accessSync, constants, statSync } from "node:fs";
import { openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection } from "@hermes/state-core";

/**
 * Opens a database so that reading it leaves nothing beside it.
 *
 * A log that somebody left must stay as it is, so a reader is opened that never checkpoints; without one, a writer
 * closes last and takes along the empty sidecars that reading makes.
 */
export function openForReading(path: string): MaintenanceConnection {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return openMaintenanceConnection(path, { readonly: log > 0 || !isWritable(path) });
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // Then a reader has to do, whatever the reason is.
    return false;
  }
}
