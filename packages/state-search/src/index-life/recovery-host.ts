import { isBusyError, isStateError, type PatienceClass, type StateStore } from "@hermes/state-core";
import type { RebuildAdmission, RecoveryHost } from "@hermes/state-schema";

/** What replacing the index of an open store needs of it. */
export type RecoverableStore = Pick<
  StateStore,
  "clock" | "info" | "path" | "quarantined" | "read" | "readonly" | "write"
>;

/** Asks for the right to rebuild, waiting at most so long. */
export type AskAdmission = (waitMs: number) => RebuildAdmission;

/** Lets an open store replace its index: each transaction is one of its writes. */
export function recoveryHost(store: RecoverableStore, patience: PatienceClass, ask: AskAdmission): RecoveryHost {
  return {
    transaction: (label, fn) => store.write(label, fn, patience),
    isBusy: (error) => isStateError(error, "STATE_E_BUSY") || isBusyError(error),
    admitRebuild: () => ask(0),
    now: () => store.clock.now(),
  };
}
