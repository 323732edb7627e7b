import { closeSync, openSync, readSync, statSync } from "node:fs";
import { checkKnownOptions, isStateError, openOfflineScope } from "@hermes/state-core";

/** How to look. */
export interface ZeroProbe {
  /** How many bytes must be zero; default 100, the header of a database. */
  readonly probeBytes?: number;
  /** Taken, and without effect: a file that this process has open is never read by a descriptor. */
  readonly force?: boolean;
}

function beginsWithZeros(path: string, probeBytes: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size === 0) return false;
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(probeBytes, 1);
    const read = readSync(descriptor, head, 0, probeBytes, 0);
    return read > 0 && head.subarray(0, read).every((byte) => byte === 0);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether a file has lost its beginning to zeros, as after a lost write. An empty file has not, nor has one that is
 * not there, nor one that this process has open as a store.
 *
 * @throws RangeError for an impossible number of bytes; errors of the file system.
 */
export function isZeroedStateDb(path: string, options: ZeroProbe = {}): boolean {
  checkKnownOptions("isZeroedStateDb", options, ["probeBytes", "force"]);
  const { probeBytes = 100 } = options;
  if (!Number.isSafeInteger(probeBytes) || probeBytes < 1 || probeBytes > 1_048_576) {
    throw new RangeError(`isZeroedStateDb: probeBytes must be from 1 to 1048576, not ${String(probeBytes)}.`);
  }
  try {
    using scope = openOfflineScope(path);
    return beginsWithZeros(scope.path, probeBytes);
  } catch (error) {
    if (isStateError(error, "STATE_E_LIVE_CONNECTION")) return false;
    throw error;
  }
}
