import { readdirSync, readlinkSync } from "node:fs";

/**
 * Counts the open descriptors of this process (Linux).
 *
 * @param prefix - Count only those whose file begins with this path, such as a store's (its sidecars included).
 */
export function fdCount(prefix = ""): number {
  return readdirSync("/proc/self/fd").filter((fd) => targetOf(fd).startsWith(prefix)).length;
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return "\0"; // closed between listing and looking: the listing's own descriptor
  }
}
