import { isStateError } from "../errors/state-error.js";
import type { StateError } from "../errors/state-error.js";
import type { StoreContext } from "../store/context.js";
import { acquireLease } from "./acquire-lease.js";
import { conversationKey } from "./conversation-key.js";
import { turnLeaseHeld, turnWaitStopped } from "./lease-errors.js";
import { readLease } from "./lease-rows.js";
import type { Lease, LeaseRow } from "./lease.js";
import type { ResolvedTurnOptions } from "./turn-options.js";

const NOTICE_SECONDS = 15;

interface Look {
  readonly lease?: Lease;
  readonly heldBy?: LeaseRow | undefined;
  readonly busy?: StateError;
}

/** One look, which must not hold up the event loop for long: half a second at most. A busy file is no holder. */
function look(context: StoreContext, sessionId: string, holder: string, ttlSeconds: number): Look {
  try {
    return context.write(
      "take a turn",
      (w) => {
        const lease = acquireLease(w, { kind: "turn", sessionId, holder, ttlSeconds }, context.clock.now());
        return lease ? { lease } : { heldBy: readLease(w, "turn", conversationKey(w, sessionId)) };
      },
      "activity",
    );
  } catch (error) {
    if (isStateError(error, "STATE_E_BUSY")) return { busy: error };
    throw error;
  }
}

/** A pause that an abort ended fails with the reason of the signal, however the pause itself put it. */
async function pauseUnlessAborted({ pause, signal }: ResolvedTurnOptions, ms: number): Promise<void> {
  try {
    await pause(ms, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Waits until a holder has the turn of a session's conversation.
 *
 * @throws The reason of the signal when it aborts. StateError `STATE_E_ABORTED`, `STATE_E_TURN_LEASE_HELD`,
 * `STATE_E_BUSY` when the file itself stayed locked.
 */
export async function waitForTurn(
  context: StoreContext,
  sessionId: string,
  holder: string,
  options: ResolvedTurnOptions,
): Promise<Lease> {
  const { signal, waitSeconds, pollSeconds } = options;
  const started = context.clock.monotonicMs();
  for (let noticed = 0; ; ) {
    signal.throwIfAborted();
    const waitedSeconds = (context.clock.monotonicMs() - started) / 1000;
    if (options.shouldStop?.()) throw turnWaitStopped(sessionId, waitedSeconds);
    const { lease, heldBy, busy } = look(context, sessionId, holder, options.ttlSeconds);
    if (lease) return lease;
    if (waitedSeconds >= waitSeconds) throw busy ?? turnLeaseHeld(sessionId, heldBy, waitedSeconds);
    if (waitedSeconds - noticed >= NOTICE_SECONDS) {
      noticed = waitedSeconds;
      options.onWait?.({ sessionId, waitedSeconds, heldBy });
    }
    await pauseUnlessAborted(options, Math.min(pollSeconds, waitSeconds - waitedSeconds) * 1000);
  }
}
