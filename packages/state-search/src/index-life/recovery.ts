import { admitRebuild, checkKnownOptions, findHolders } from "@hermes/state-core";
import { recoverWith } from "./recover-with.js";
import type { RecoverableStore } from "./recovery-host.js";
import type { StaleRetry } from "./stale-retry.js";

const STEPS = 20;

/** How much of an index that was replaced is filled at once. */
export interface RetryOptions {
  /** Steps of 500 ids; default 20. */
  readonly steps?: number | undefined;
}

/**
 * Tries to replace the stale index of a long-lived handle, which an open would do but may be days away (SEA-11), and
 * goes on with a backfill that somebody left. Call it every minute or so, for instance for each of
 * `sharedStateStores()`: it waits for nobody, starts no thread and throws nothing that a store can throw. After an
 * attempt that did not help it rests 60 s, then twice as long each time up to an hour, or until other processes have
 * the file open than before.
 *
 * @returns What came of it; `{ kind: "idle", because: "not-stale" }` is the usual answer.
 * @throws TypeError for unknown options.
 *
 * @example
 * ```ts
 * for (const { store } of sharedStateStores()) retryStaleRecovery(store);
 * ```
 */
export function retryStaleRecovery(store: RecoverableStore, options: RetryOptions = {}): StaleRetry {
  checkKnownOptions("retryStaleRecovery", options, ["steps"]);
  const { path, clock } = store;
  return recoverWith(store, {
    ask: (waitMs) => admitRebuild({ path, clock, waitMs }),
    holders: () =>
      findHolders(path)
        .holders.map(({ pid }) => pid)
        .sort((a, b) => a - b)
        .join(" "),
    steps: options.steps ?? STEPS,
  });
}
