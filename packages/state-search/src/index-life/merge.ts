import { setImmediate } from "node:timers/promises";
import {
  checkKnownOptions,
  mergeIndexPages,
  mergeIndexWhole,
  type MergeBounds,
  type ProgressOptions,
  resolveMergeBounds,
  type RunTransaction,
  type StoreContext,
  throwIfAborted,
} from "@hermes/state-core";
import { mergeableTables } from "@hermes/state-schema";

/** What a merge needs of a store. */
export type MergeStore = Pick<StoreContext, "info" | "read" | "write">;

/** What {@link optimizeIndexes} did. */
export interface OptimizeReport {
  /** Names of the indexes that now consist of one segment each. */
  readonly merged: readonly string[];
}

const WHOLE_MERGE_PAGES = 1_000;

function mergeable(store: MergeStore): readonly string[] {
  const { capabilities } = store.info();
  return store.read((r) => mergeableTables(r, capabilities));
}

function transactOn(store: MergeStore): RunTransaction {
  return (fn) => store.write("merge a search index", fn);
}

/**
 * Merges the search indexes a little: a bounded number of commands per index, each a write of its own that may write a
 * bounded number of pages. A store does the same by itself every 1,000 writes (SEA-13). It changes no result.
 *
 * @returns How many commands merged something.
 * @throws TypeError and RangeError for bounds that are no whole numbers above 0; whatever a write throws.
 */
export function mergeIndexes(store: MergeStore, bounds: MergeBounds = {}): number {
  const resolved = resolveMergeBounds("mergeIndexes", bounds);
  return mergeable(store).reduce((sum, table) => sum + mergeIndexPages(transactOn(store), table, resolved), 0);
}

/**
 * Merges each search index that is there into one segment, in bounded steps (SEA-13). It changes no result, and is for
 * times when nobody else uses the store: all of an index is written anew.
 *
 * @throws The signal's reason, between two steps; a later run goes on. Whatever a write throws. TypeError for unknown
 * options.
 */
export async function optimizeIndexes(store: MergeStore, options: ProgressOptions = {}): Promise<OptimizeReport> {
  checkKnownOptions("optimizeIndexes", options, ["onProgress", "signal"]);
  const { onProgress, signal } = options;
  const tables = mergeable(store);
  const merged: string[] = [];
  for (const table of tables) {
    throwIfAborted(signal);
    for (const _step of mergeIndexWhole(transactOn(store), table, WHOLE_MERGE_PAGES)) {
      onProgress?.({ phase: "merge", done: merged.length, total: tables.length });
      await setImmediate();
      throwIfAborted(signal);
    }
    merged.push(table);
    onProgress?.({ phase: "merge", done: merged.length, total: tables.length });
  }
  return { merged };
}
