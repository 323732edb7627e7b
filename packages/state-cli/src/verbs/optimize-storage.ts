import { findHolders, StateError } from "@hermes/state-core";
import { optimizeStorage } from "@hermes/state-search";
import type { StorageNotOptimized, StorageOptimized, StorageRefusal } from "@hermes/state-search";
import { EXIT } from "../errors/exit-code.js";
import { withProgress } from "../output/progress.js";
import { sanitizeLine } from "../output/sanitize.js";
import { sizeChange } from "../output/size-change.js";
import { writeDocument } from "../output/write-document.js";
import { type MaintenanceOptions, openForMaintenance, storeHeldElsewhere } from "../store/open-for-maintenance.js";
import { writeNothingToDo } from "../store/nothing-to-do.js";
import type { Verb } from "../verb.js";

/** Options of `optimize-storage`. */
export interface OptimizeStorageVerbOptions extends MaintenanceOptions {
  /** False with `--no-vacuum`. */
  readonly vacuum: boolean;
}

const WHY: Readonly<Record<Exclude<StorageRefusal, "held">, string>> = {
  fts5_unavailable: "this SQLite has no full-text search (FTS5). Use a build of Node that has it.",
  read_only: "the store is open for reading only. Leave --readonly out.",
  newer_schema: "a newer program wrote the store. Upgrade this command.",
  backfill_incomplete: "the new index could not be filled to its end. Run it again to go on.",
  teardown_incomplete: "the old index could not be removed whole. Run it again to go on.",
  index_changed: "another process changed the index meanwhile. Run it again when it has ended.",
};

function notOptimized(path: string, report: StorageNotOptimized): StateError {
  const { reason, error } = report;
  if (reason === "held") return storeHeldElsewhere(path, findHolders(path).holders);
  // A file that stays busy is one: scripts try again.
  const code = error?.code === "STATE_E_BUSY" ? "STATE_E_BUSY" : "STATE_E_NOT_OPTIMIZED";
  return new StateError(code, `Not optimized: ${WHY[reason]}`, { path, reason, cause: error?.message });
}

function summary(report: StorageOptimized): string {
  const done = report.upgraded
    ? `The search index has layout ${String(report.layout)} now.`
    : `The search index has layout ${String(report.layout)} already.`;
  const size = `The store is ${sizeChange(report.bytesBefore, report.bytesAfter)}.`;
  const failed = report.vacuumError ? ` It was not vacuumed: ${sanitizeLine(report.vacuumError.message)}` : "";
  return `${done} ${size}${failed}`;
}

/** Brings the search index to the newest layout; interrupted anywhere, the next run goes on. */
export const optimizeStorageVerb: Verb<OptimizeStorageVerbOptions> = async (context, options) => {
  const { output, signal } = context;
  context.handleInterrupts();
  using store = openForMaintenance(context, options);
  if (!store) return await writeNothingToDo(context);
  const { vacuum, force = false } = options;
  const report = await withProgress(output, "Upgrading", (onProgress) =>
    optimizeStorage(store, { onProgress, signal, vacuum, force }),
  );
  if (!report.ok) throw notOptimized(store.path, report);
  await writeDocument(output, { path: store.path, ...report }, () => summary(report));
  return EXIT.done;
};
