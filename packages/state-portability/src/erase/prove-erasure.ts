import { isStateError, openStateStore } from "@hermes/state-core";
import type { OtherHolders, ProgressOptions, StateStore } from "@hermes/state-core";
import { dropSideIndex, rebuildIndexes } from "@hermes/state-search";
import type { FingerprintSet } from "./fingerprint-set.js";
import { scanStoreFiles } from "./scan-files.js";
import type { ScannedFile } from "./scan-files.js";

const OVERWRITE = "PRAGMA secure_delete = ON";

/** What every part of an erasure adds to. */
export interface Progressing {
  /** What was done, in order. */
  readonly steps: string[];
  /** Why the proof stays open. */
  pending: string | null;
}

/** From now on this handle overwrites what it frees. */
export function overwriteFreed(store: StateStore): void {
  store.write("overwrite what is freed", (w) => w.exec(OVERWRITE));
}

/** Whether anybody else has the store open. */
export function isHeld({ connections, processes }: OtherHolders): boolean {
  return connections > 0 || processes.length > 0;
}

/** Merges the indexes and writes the file anew: no page keeps what is not in a row. */
function compact(store: StateStore, state: Progressing): void {
  try {
    const { mergedIndexes, failedIndexes } = store.retention.vacuum();
    state.steps.push(`merged ${String(mergedIndexes)} search indexes`, "wrote the file anew without free pages");
    if (failedIndexes > 0) state.steps.push(`could not merge ${String(failedIndexes)} search indexes`);
  } catch (error) {
    if (!isStateError(error)) throw error;
    state.pending = `the file could not be written anew: ${error.message}`;
  }
}

/** The last handle that closes takes the log along; the file may be read only then. */
function closeForGood(store: StateStore, state: Progressing): void {
  const { path } = store;
  dropSideIndex(path);
  const others = store.otherHolders();
  store.close();
  state.steps.push("dropped the side index", "closed the store, which removes its log");
  if (isHeld(others)) state.pending ??= "others have the store open, and its log keeps bytes until they close it";
}

/** An index that missed the deletion keeps words of rows that are gone: it is made anew from those that stay. */
async function rebuild(path: string, state: Progressing, options: ProgressOptions): Promise<void> {
  using store = openStateStore({ path });
  overwriteFreed(store);
  const { ok } = await rebuildIndexes(store, { onProgress: options.onProgress });
  state.steps.push(ok ? "built the search indexes anew" : "could not build the search indexes anew");
  compact(store, state);
  closeForGood(store, state);
}

/**
 * Compacts and closes the store, and searches every byte of its files; an index that still holds something is built
 * anew.
 */
export async function prove(
  store: StateStore,
  canaries: FingerprintSet,
  state: Progressing,
  options: ProgressOptions,
): Promise<ScannedFile[]> {
  const { path } = store;
  const { onProgress } = options;
  compact(store, state);
  closeForGood(store, state);
  const files = await scanStoreFiles(path, canaries, { onProgress });
  if (state.pending !== null || files[0]?.state !== "scanned" || files[0].found === 0) return files;
  await rebuild(path, state, options);
  return await scanStoreFiles(path, canaries, { onProgress });
}
