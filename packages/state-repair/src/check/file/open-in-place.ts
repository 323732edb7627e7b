import { statSync } from "node:fs";
import { findHolders, liveConnectionCount, openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection } from "@hermes/state-core";
import type { CheckSession } from "./check-session.js";
import { isWritable } from "./choose-place.js";
import { RehearsingWriter } from "./rehearsing-writer.js";

const ANYTHING = "SELECT 1 AS found FROM main.sqlite_master LIMIT 1";

/**
 * Opens a file where it is, so that everything beside it is afterwards as it was.
 *
 * @param path - Canonical path.
 * @param alone - The file has an idle log and nobody else: a writer opens first and closes last, and takes the
 * sidecars along that reading needs.
 */
export function openInPlace(path: string, alone: boolean): CheckSession {
  const shared = mayBeShared(path);
  const anchor = alone ? openMaintenanceConnection(path) : undefined;
  let r: MaintenanceConnection | undefined;
  try {
    touch(anchor);
    r = openMaintenanceConnection(path, { readonly: true });
  } catch (error) {
    anchor?.close();
    throw error;
  }
  const reader = r;
  const writer = isWritable(path) ? new RehearsingWriter(path, reader) : undefined;
  return {
    r: reader,
    writer,
    shared,
    [Symbol.dispose]() {
      writer?.[Symbol.dispose]();
      // Somebody wrote meanwhile, and left: what stands in the log is not ours to move into the file.
      const idle = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
      if (!idle) anchor?.close();
      reader.close();
      anchor?.close();
    },
  };
}

/** Has the engine read something, so that it opens the log; damage is for the check itself to meet. */
function touch(anchor: MaintenanceConnection | undefined): void {
  try {
    anchor?.get(ANYTHING);
  } catch {
    // The reader meets the same, and reports it.
  }
}

function mayBeShared(path: string): boolean {
  if (liveConnectionCount(path) > 0) return true;
  const { holders, complete } = findHolders(path);
  // Where there is a table of processes, those that cannot be looked at are listed if they may be ours.
  return holders.length > 0 || (!complete && process.platform !== "linux");
}
