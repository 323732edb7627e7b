import { isStateError, type OtherHolders, type ProgressOptions, type StateStore } from "@hermes/state-core";
import { throwIfAborted } from "@hermes/state-core";
import { prepareUpgrade, stepTeardown, type TeardownStep, unsettledBecause } from "@hermes/state-schema";
import { UnreadableTableError, type UnsettledReason } from "@hermes/state-schema";
import { backfillSteps } from "./backfill.js";
import { PAUSE_MS, type PauseOptions, runSteps, type SteppedWork } from "./run-steps.js";
import type { StorageNotOptimized } from "./storage-report.js";

/** What the phases need of a store. */
export type PhasedStore = Pick<StateStore, "clock" | "info" | "otherHolders" | "read" | "write">;

/** Somebody else has the file open. */
export function isHeld({ connections, processes }: OtherHolders): boolean {
  return connections > 0 || processes.length > 0;
}

/** What the phases came to: how many steps were done, and what keeps the index from being settled. */
export interface UpgradeEnd {
  readonly steps: number;
  readonly unsettled?: Pick<StorageNotOptimized, "reason" | "error">;
}

type PhaseOptions = ProgressOptions & PauseOptions;

/** A sibling may detach or change the index while it is worked on; more often than this it is not by chance. */
const MOST_PASSES = 3;

/**
 * Puts the old index aside, fills the new one and removes the old one, until nothing is left to do. Whatever was begun
 * before, here or by a peer, is gone on with.
 */
export async function runUpgradePhases(store: PhasedStore, options: PhaseOptions): Promise<UpgradeEnd> {
  const { capabilities } = store.info();
  let steps = 0;
  for (let pass = 1; ; pass += 1) {
    throwIfAborted(options.signal);
    const plan = store.write("put the old search index aside", (w) => prepareUpgrade(w, capabilities));
    steps += plan === "none" ? 0 : 1;
    for (const phase of [fill, tearDown]) {
      const end = await phase(store, options);
      steps += end.steps;
      if (end.unsettled) return { ...end, steps };
    }
    const reason = store.read((r) => unsettledBecause(r, capabilities));
    if (reason === undefined) return { steps };
    if (pass === MOST_PASSES) return { steps, unsettled: { reason } };
  }
}

async function fill(store: PhasedStore, options: PhaseOptions): Promise<UpgradeEnd> {
  return await endOf("backfill_incomplete", () => backfillSteps(store, options, paceOf(store, options)));
}

async function tearDown(store: PhasedStore, options: PhaseOptions): Promise<UpgradeEnd> {
  const lost = new Set<string>();
  let done = 0;
  return await endOf("teardown_incomplete", async () => {
    await runSteps({
      ...paceOf(store, options),
      clock: store.clock,
      signal: options.signal,
      step: () => {
        const state = stepOrLose(store, lost);
        if (state !== "none") done += 1;
        return state === "more";
      },
      stepped: () => {
        if (done > 0) options.onProgress?.({ phase: "teardown", done, total: undefined });
      },
    });
    return done;
  });
}

/** A damaged table of an old index is no reason to keep it; each is lost once at most, so this ends. */
function stepOrLose(store: PhasedStore, lost: Set<string>): TeardownStep {
  try {
    return store.write("remove the old search index", (w) => stepTeardown(w, lost));
  } catch (error) {
    if (!(error instanceof UnreadableTableError) || lost.has(error.table)) throw error;
    lost.add(error.table);
    return "more";
  }
}

/** A file that stays busy leaves the phase incomplete; everything else is for the caller to know at once. */
async function endOf(reason: UnsettledReason, run: () => Promise<number>): Promise<UpgradeEnd> {
  try {
    return { steps: await run() };
  } catch (error) {
    if (!isStateError(error, "STATE_E_BUSY")) throw error;
    return { steps: 0, unsettled: { reason, error: { code: error.code, message: error.message } } };
  }
}

const LOOK_EVERY_MS = 1_000;

/** Nobody waits for a store that nobody else has open: then there is no rest between two steps. */
export function paceOf(store: PhasedStore, { pauseMs, pause }: PauseOptions): Pick<SteppedWork, "pause" | "rest"> {
  let rest = 0;
  let lookedAt = -Infinity;
  return {
    pause,
    rest: () => {
      if (pauseMs !== undefined) return pauseMs;
      const now = store.clock.monotonicMs();
      if (now - lookedAt < LOOK_EVERY_MS) return rest;
      lookedAt = now;
      return (rest = isHeld(store.otherHolders()) ? PAUSE_MS : 0);
    },
  };
}
