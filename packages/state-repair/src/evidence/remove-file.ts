import { lstatSync, unlinkSync } from "node:fs";

/**
 * Removes one file or link, never a folder and never what a link points to.
 *
 * @returns True when nothing stands under the name any more.
 */
export function removeFile(path: string): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return true;
    if (stat.isDirectory()) return false;
    unlinkSync(path);
    return true;
  } catch {
    // Gone meanwhile, or not ours to remove: the caller is told, and the next sweep tries again.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  }
}
