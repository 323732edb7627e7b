import type { ForensicBundle } from "./bundle-result.js";
import { presentParts, sameParts } from "./file-parts.js";
import type { FilePart } from "./file-parts.js";

/** What holds committed rows. An empty log is none, and shared memory is made anew with every first open. */
const ofContent = ({ suffix, bytes }: FilePart): boolean => suffix === "" || (suffix === "-wal" && bytes > 0);

/**
 * Whether the database still is what its bundle holds, by stat alone, so also behind a guard. A journal that waited for
 * its rollback is rolled back by the guard itself; then nothing can be said, and nothing is held against it.
 *
 * @param path - Canonical path of the database.
 */
export function isAsBundled(path: string, { source }: ForensicBundle): boolean {
  if (source.some(({ suffix, bytes }) => suffix === "-journal" && bytes > 0)) return true;
  return sameParts(source.filter(ofContent), presentParts(path).filter(ofContent));
}
