import { isStateError, type StateStore, throwIfAborted } from "@hermes/state-core";
import {
  FTS_TABLE,
  IndexReplacementError,
  readIndexState,
  type RebuildAdmission,
  type ReplacedIndex,
  replaceIndex,
  type SqliteCapabilities,
} from "@hermes/state-schema";
import { backfillSteps } from "./backfill.js";
import type { RebuildOptions } from "./rebuild-options.js";
import type { IndexesNotRebuilt, RebuildFailure, RebuildReport } from "./rebuild-report.js";
import { summarize } from "./recover-with.js";
import { type AskAdmission, type RecoverableStore, recoveryHost } from "./recovery-host.js";
import { pauseByTimer } from "./run-steps.js";
import { paceOf } from "./upgrade-phases.js";

/** What a rebuild needs of a store. */
export type RebuildableStore = RecoverableStore & Pick<StateStore, "otherHolders">;

const POLL_MS = 100;
const WAIT_MS = 120_000;

/** See {@link rebuildIndexes}; the right to rebuild is asked for through `ask`. */
export async function rebuildWith(
  store: RebuildableStore,
  ask: AskAdmission,
  options: RebuildOptions,
): Promise<RebuildReport> {
  const { capabilities } = store.info();
  if (store.readonly) return refused("readonly");
  if (!capabilities.fts5) return refused("no-fts5");
  const admission = await waitForAdmission(store, ask, options);
  if (admission.kind === "deferred") {
    return { ...refused(admission.reason), holders: admission.holders, errno: admission.errno };
  }
  try {
    options.onProgress?.({ phase: "replace", done: 0, total: 1 });
    const replaced = replace(store, capabilities);
    if (replaced.failed.length > 0 && replaced.index === undefined) {
      return { ...refused("failed"), failed: replaced.failed };
    }
    options.onProgress?.({ phase: "replace", done: 1, total: 1 });
    await fill(store, options);
    const { pending, word, trigram } = store.read((r) => readIndexState(r, capabilities));
    return {
      ok: true,
      indexes: [...(word.present ? [FTS_TABLE.word] : []), ...(trigram.present ? [FTS_TABLE.trigram] : [])],
      failed: replaced.failed,
      pending: pending !== undefined,
      lost: replaced.index?.lost ?? [],
    };
  } finally {
    admission.release();
  }
}

function refused(reason: IndexesNotRebuilt["reason"]): IndexesNotRebuilt {
  return { ok: false, reason, holders: [], errno: undefined, failed: [] };
}

/** Waits for another rebuild to end, without blocking anybody; whatever else stands in the way is not waited for. */
async function waitForAdmission(
  { clock }: RebuildableStore,
  ask: AskAdmission,
  { waitMs = WAIT_MS, pause = pauseByTimer, signal }: RebuildOptions,
): Promise<RebuildAdmission> {
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    throwIfAborted(signal);
    const admission = ask(0);
    if (admission.kind === "admitted" || admission.reason !== "locked") return admission;
    if (clock.monotonicMs() + POLL_MS > deadline) return admission;
    await pause(POLL_MS, signal);
  }
}

interface Replaced {
  readonly index: ReplacedIndex | undefined;
  readonly failed: readonly RebuildFailure[];
}

/** Replaces both indexes; when the trigram index cannot be, the word index alone. */
function replace(store: RebuildableStore, capabilities: SqliteCapabilities): Replaced {
  const host = recoveryHost(store, "routine", () => {
    throw new TypeError("A rebuild asks once.");
  });
  const failed: RebuildFailure[] = [];
  for (const trigram of capabilities.trigram ? [true, false] : [false]) {
    try {
      return { index: replaceIndex(host, { ...capabilities, trigram }), failed };
    } catch (error) {
      if (!(error instanceof IndexReplacementError)) throw error;
      failed.push({ index: trigram ? FTS_TABLE.trigram : FTS_TABLE.word, ...summarize(error.cause) });
    }
  }
  return { index: undefined, failed };
}

/** A file that stays busy leaves the rest to a later backfill; the index says itself how far it is. */
async function fill(store: RebuildableStore, options: RebuildOptions): Promise<void> {
  try {
    await backfillSteps(store, options, paceOf(store, options));
  } catch (error) {
    if (!isStateError(error, "STATE_E_BUSY")) throw error;
  }
}
