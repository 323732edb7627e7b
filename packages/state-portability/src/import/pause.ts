import { setImmediate as nextTurn } from "node:timers/promises";
import { StateError } from "@hermes/state-core";

/**
 * Lets other work run, and stops when the signal says so: the store's own calls are synchronous and cannot be
 * interrupted.
 *
 * @throws STATE_E_ABORTED
 */
export async function pause(signal: AbortSignal | undefined, imported: number): Promise<void> {
  await nextTurn();
  if (signal?.aborted) throw importStopped(signal, imported);
}

/** The import ends early, at a point where everything that was taken in is whole. */
export function importStopped(signal: AbortSignal | undefined, imported: number): StateError {
  return new StateError(
    "STATE_E_ABORTED",
    `The import was stopped after ${imported} sessions, which are whole. Run it again to bring in the rest.`,
    { imported },
    { cause: signal?.reason },
  );
}
