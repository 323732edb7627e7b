import { checkKnownOptions, isStateError, readPageCounts, throwIfAborted } from "@hermes/state-core";
import type { PageCounts, ProgressOptions, StateStore } from "@hermes/state-core";
import { type FtsLayout, SCHEMA_VERSION, settleIndex } from "@hermes/state-schema";
import { checkPause, type PauseOptions } from "./run-steps.js";
import type { StorageNotOptimized, StorageOptimized, StorageReport, StorageSizes } from "./storage-report.js";
import { isHeld, type PhasedStore, runUpgradePhases } from "./upgrade-phases.js";

/** What an upgrade needs of a store. */
export type UpgradableStore = PhasedStore & Pick<StateStore, "readonly" | "retention">;

/** How to bring a store's search index to the newest layout. */
export interface OptimizeStorageOptions extends ProgressOptions, PauseOptions {
  /** Give the pages that come free back to the system at the end. Default true. */
  readonly vacuum?: boolean | undefined;
  /** Also while others have the store open: it rests between steps, and they wait for the vacuum. Default false. */
  readonly force?: boolean | undefined;
}

const OPTIONS = ["onProgress", "signal", "pauseMs", "pause", "vacuum", "force"];

/** A smaller share of free pages is not worth rewriting the file for. */
const WORTH_VACUUM = 0.1;

/**
 * Brings the search index to the newest layout and gives back the room of the old one: the old tables are put aside and
 * the markers of the new ones set in one transaction, the messages are indexed step by step, the old tables are removed
 * step by step, and only then, checked inside a write, the layout is stamped (SEA-12). Killed or aborted anywhere, the
 * next run goes on; searches are whole all the while. A file that a peer began to upgrade is finished likewise.
 *
 * @example
 * ```ts
 * const report = await optimizeStorage(store, { onProgress: ({ phase, done }) => show(phase, done) });
 * if (!report.ok) show(`not upgraded: ${report.reason}`);
 * ```
 * @returns `ok: false` with the reason where it cannot be done now, or a phase was cut short by a busy file.
 * @throws The signal's reason, between two steps. TypeError for unknown options. StateError for what ends a write other
 * than a busy file.
 */
export async function optimizeStorage(
  store: UpgradableStore,
  options: OptimizeStorageOptions = {},
): Promise<StorageReport> {
  checkKnownOptions("optimizeStorage", options, OPTIONS);
  checkPause("optimizeStorage", options);
  const before = store.read(readPageCounts);
  const refused = refuse(store, options);
  if (refused) return { ok: false, ...refused, ...sizesSince(store, before) };
  const { steps, unsettled } = await runUpgradePhases(store, options);
  if (unsettled) return { ok: false, ...unsettled, ...sizesSince(store, before) };
  throwIfAborted(options.signal);
  const compacted = compact(store, options, steps > 0);
  const { capabilities } = store.info();
  const changed = store.write("stamp the search layout", (w) => settleIndex(w, capabilities));
  if (changed !== undefined) return { ok: false, reason: changed, ...sizesSince(store, before) };
  options.onProgress?.({ phase: "done", done: 1, total: 1 });
  return { ok: true, upgraded: steps > 0, ...compacted, ...sizesSince(store, before) };
}

function refuse(
  store: UpgradableStore,
  { force }: OptimizeStorageOptions,
): Pick<StorageNotOptimized, "reason" | "holders"> | undefined {
  const { capabilities, schemaVersion = 0 } = store.info();
  if (store.readonly) return { reason: "read_only" };
  if (!capabilities.fts5) return { reason: "fts5_unavailable" };
  if (schemaVersion > SCHEMA_VERSION) return { reason: "newer_schema" };
  if (force) return undefined;
  const holders = store.otherHolders();
  return isHeld(holders) ? { reason: "held", holders } : undefined;
}

function sizesSince(store: UpgradableStore, before: PageCounts): StorageSizes & { layout: FtsLayout } {
  const after = store.read(readPageCounts);
  return {
    layout: store.info().ftsLayout,
    pagesBefore: before.pages,
    pagesAfter: after.pages,
    bytesBefore: before.bytes,
    bytesAfter: after.bytes,
  };
}

/** A file that cannot be rewritten now keeps its free pages until a later run. */
function compact(
  store: UpgradableStore,
  { vacuum = true, force = false, onProgress }: OptimizeStorageOptions,
  upgraded: boolean,
): Pick<StorageOptimized, "vacuumed" | "vacuumError"> {
  const { pages, free } = store.read(readPageCounts);
  if (!vacuum || (!upgraded && free < pages * WORTH_VACUUM)) return { vacuumed: null };
  onProgress?.({ phase: "vacuum", done: 0, total: 1 });
  try {
    store.retention.vacuum({ force });
  } catch (error) {
    if (!isStateError(error)) throw error;
    return { vacuumed: false, vacuumError: { code: error.code, message: error.message } };
  }
  onProgress?.({ phase: "vacuum", done: 1, total: 1 });
  return { vacuumed: true };
}
