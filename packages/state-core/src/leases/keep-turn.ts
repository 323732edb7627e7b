import { isStateError } from "../errors/state-error.js";
import type { StoreContext } from "../store/context.js";
import { turnLeaseLost } from "./lease-errors.js";
import { extendLease, readLease } from "./lease-rows.js";
import type { Lease } from "./lease.js";
import type { ResolvedTurnOptions } from "./turn-options.js";

const BEATS_PER_TTL = 3;

/** A busy file says nothing about the lease; the next beat asks again. */
function beat(context: StoreContext, sessionId: string, lease: Lease): void {
  const { kind, key, holder, ttlSeconds } = lease;
  try {
    context.write(
      "refresh a turn",
      (w) => {
        if (extendLease(w, kind, key, holder, context.clock.now() + ttlSeconds)) return;
        throw turnLeaseLost(sessionId, holder, readLease(w, kind, key));
      },
      "activity",
    );
  } catch (error) {
    if (!isStateError(error, "STATE_E_BUSY")) throw error;
  }
}

/**
 * Refreshes the lease of a turn until `ended` aborts.
 *
 * @param onLost - Called once, with the reason, when the lease is somebody else's or the store cannot be written.
 */
export async function keepTurn(
  context: StoreContext,
  sessionId: string,
  lease: Lease,
  pause: ResolvedTurnOptions["pause"],
  ended: AbortSignal,
  onLost: (reason: unknown) => void,
): Promise<void> {
  try {
    for (;;) {
      await pause((lease.ttlSeconds * 1000) / BEATS_PER_TTL, ended);
      if (ended.aborted) return;
      beat(context, sessionId, lease);
    }
  } catch (error) {
    // The end of the turn also ends the pause, and that is no loss.
    if (!ended.aborted) onLost(error);
  }
}
