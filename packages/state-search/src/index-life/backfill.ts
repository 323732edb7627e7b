import { checkKnownOptions, type ProgressOptions, type StoreContext } from "@hermes/state-core";
import {
  type BackfillStep,
  type PendingBackfill,
  readIndexState,
  stepBackfill as stepInTransaction,
  type Writer,
} from "@hermes/state-schema";
import { ChunkSpan } from "./chunk-span.js";
import { checkPause, PAUSE_MS, type PauseOptions, runSteps, type SteppedWork } from "./run-steps.js";

/** What a backfill needs of a store. */
export type BackfillStore = Pick<StoreContext, "clock" | "info" | "read" | "write">;

/** How to run a backfill; it rests 200 ms between two steps when nothing else is said. */
export interface BackfillOptions extends ProgressOptions, PauseOptions {}

/** What a backfill did. */
export interface BackfillReport {
  /** Steps of up to 500 ids that this run did; other processes may have done some of the work. */
  readonly steps: number;
}

/** A backfill that waits to be run, in ids; undefined when none is pending or the index is detached. */
export function pendingBackfill(store: BackfillStore): PendingBackfill | undefined {
  const { capabilities } = store.info();
  const { stale, pending } = store.read((r) => readIndexState(r, capabilities));
  return stale ? undefined : pending;
}

/**
 * Indexes the next 500 ids of a pending backfill, in one short write that claims them inside itself: any number of
 * processes may step together, and a killed step leaves nothing half done (SEA-08). The CJK index of peers has markers
 * of its own, which are left to runtimes that have its tokenizer.
 *
 * @returns `none` nothing is pending, `more` work remains, `done` the backfill has ended and its markers are gone.
 * @throws StateError `STATE_E_BUSY` while others write without a gap; whatever a write throws.
 */
export function stepBackfill(store: BackfillStore): BackfillStep {
  const { capabilities } = store.info();
  return store.write("index older messages", (w) => stepInTransaction(w, capabilities));
}

/**
 * Runs a pending backfill to its end, with a rest between steps in which other writers get their turn (SEA-08).
 * Searches are whole all the while: what is not indexed yet is read. Without a pending backfill it does nothing.
 *
 * @example
 * ```ts
 * await runBackfill(store, { onProgress: ({ done, total }) => report(done, total), signal });
 * ```
 * @throws The signal's reason, between two steps; what is done stays done, and any later run goes on from there.
 * StateError `STATE_E_BUSY` when the file stays busy, and whatever a write throws. TypeError for unknown options.
 */
export async function runBackfill(store: BackfillStore, options: BackfillOptions = {}): Promise<BackfillReport> {
  checkKnownOptions("runBackfill", options, ["onProgress", "signal", "pauseMs", "pause"]);
  checkPause("runBackfill", options);
  const { pauseMs = PAUSE_MS, pause, ...heard } = options;
  return { steps: await backfillSteps(store, heard, { pause, rest: () => pauseMs }) };
}

/** As {@link runBackfill}, with a rest that may change while it runs. @returns How many steps were done. */
export async function backfillSteps(
  store: BackfillStore,
  { onProgress, signal }: ProgressOptions,
  pace: Pick<SteppedWork, "pause" | "rest">,
): Promise<number> {
  const first = pendingBackfill(store);
  if (first === undefined) return 0;
  const { capabilities } = store.info();
  const span = new ChunkSpan(store.clock);
  let total = Math.max(first.highWater, 0);
  return await runSteps({
    ...pace,
    clock: store.clock,
    signal,
    step: () => {
      const step = (w: Writer): BackfillStep => span.measure((ids) => stepInTransaction(w, capabilities, ids));
      return store.write("index older messages", step) === "more";
    },
    stepped: () => {
      const left = pendingBackfill(store);
      total = left?.highWater ?? total;
      onProgress?.({ phase: "backfill", done: left?.progress ?? total, total });
    },
  });
}
