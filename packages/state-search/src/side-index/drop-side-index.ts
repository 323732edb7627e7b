import { canonicalPath } from "@hermes/state-core";
import { removeSideFile, sidePath } from "./side-file.js";

/**
 * Deletes the side index of a store, which holds fragments of its messages: when messages are erased for good, and
 * whenever it is in the way. The next searches read rows again and build it anew. Any process may do so at any time.
 *
 * @param path - The store's file, which need not exist.
 * @throws What the system has against deleting it.
 */
export function dropSideIndex(path: string): void {
  removeSideFile(sidePath(canonicalPath(path)));
}
