import { openMaintenanceConnection } from "@hermes/state-core";
import type { ProgressOptions } from "@hermes/state-core";
import type { CheckSession } from "./check-session.js";
import type { CheckPlace } from "./choose-place.js";
import { openInPlace } from "./open-in-place.js";
import { takePrivateCopy } from "./private-copy.js";

/**
 * Opens a file for a check at the chosen place.
 *
 * @param path - Canonical path.
 * @throws NoCopy, and errors of the driver
 */
export async function openSession(path: string, place: CheckPlace, options: ProgressOptions): Promise<CheckSession> {
  return place === "copy" ? openCopy(path, options) : openInPlace(path, place === "alone");
}

/** On a copy, whatever the engine has to finish first is finished there. */
async function openCopy(path: string, options: ProgressOptions): Promise<CheckSession> {
  const copy = await takePrivateCopy(path, options);
  try {
    const writer = openMaintenanceConnection(copy.path);
    return {
      r: writer,
      writer,
      shared: false,
      [Symbol.dispose]() {
        writer.close();
        copy[Symbol.dispose]();
      },
    };
  } catch (error) {
    copy[Symbol.dispose]();
    throw error;
  }
}
