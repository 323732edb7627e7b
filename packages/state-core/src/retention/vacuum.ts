import { mergeableTables } from "@hermes/state-schema";
import type { Reader } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { isStateError } from "../errors/state-error.js";
import { checkBooleans } from "../sessions/list/check-match.js";
import type { StoreContext } from "../store/context.js";
import type { StoreFile } from "../store/store-file.js";
import { mergeIndexWhole } from "../writing/merge-indexes.js";
import { storeHeld } from "./retention-errors.js";

/** How to vacuum. */
export interface VacuumOptions {
  /** Also while others have the file open; they wait for as long as it takes. Default false. */
  readonly force?: boolean;
}

/** What a vacuum did. */
export interface VacuumReport {
  /** Pages times their size: the log of the store would blur what the system says of the file. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Search indexes that were merged into one segment before. */
  readonly mergedIndexes: number;
  /** Search indexes that could not be merged; the file was compacted all the same. */
  readonly failedIndexes: number;
}

/** Pages of a file. */
export interface PageCounts {
  readonly pages: number;
  readonly free: number;
  readonly bytes: number;
}

const PAGES = `
  SELECT page_count AS pages, freelist_count AS free, page_count * page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;

const LABEL = "compact the store";

const MERGE_PAGES = 1_000;

/** How large the store is, and how much of it is free. */
export function readPageCounts(r: Reader): PageCounts {
  return r.get<PageCounts>(PAGES) ?? { pages: 0, free: 0, bytes: 0 };
}

/** Bounded steps, so that the write lock is never held for the whole of an index. */
function mergeIndex(context: StoreContext, table: string): boolean {
  try {
    const steps = mergeIndexWhole((fn) => context.write("merge a search index", fn), table, MERGE_PAGES);
    while (!steps.next().done);
    return true;
  } catch (error) {
    // Counted: what an index cannot do must not keep the file large. Damage of the store itself stops the vacuum below.
    if (isStateError(error)) return false;
    throw error;
  }
}

/**
 * Gives free pages back to the system: search indexes merged, a PASSIVE checkpoint, VACUUM (COR-02).
 *
 * @throws StateError `STATE_E_STORE_HELD` while another process, or another handle of this one, has the file open.
 */
export function vacuumStore(context: StoreContext, file: StoreFile, options: VacuumOptions): VacuumReport {
  checkKnownOptions("retention.vacuum", options, ["force"]);
  checkBooleans("retention.vacuum", options, ["force"]);
  const others = file.otherHolders();
  if (!options.force && (others.connections > 0 || others.processes.length > 0)) {
    throw storeHeld(context.path, LABEL, others);
  }
  const before = context.read(readPageCounts);
  const { capabilities } = context.info();
  const tables = context.read((r) => mergeableTables(r, capabilities));
  const merged = tables.map((table) => mergeIndex(context, table));
  file.vacuum(LABEL);
  return {
    bytesBefore: before.bytes,
    bytesAfter: context.read(readPageCounts).bytes,
    mergedIndexes: merged.filter(Boolean).length,
    failedIndexes: merged.filter((done) => !done).length,
  };
}
