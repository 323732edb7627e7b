import { isStateError } from "../errors/state-error.js";
import type { StoreContext } from "../store/context.js";
import { newAgent, newHolder } from "./holder-name.js";
import { keepTurn } from "./keep-turn.js";
import { deleteLease } from "./lease-rows.js";
import type { Lease } from "./lease.js";
import { resolveTurnOptions } from "./turn-options.js";
import type { TurnOptions } from "./turn-options.js";
import { waitForTurn } from "./wait-for-turn.js";

/** The turn that a function runs in. */
export interface Turn extends Lease {
  /** Aborts when the lease is lost, with the error as its reason, and when the caller's own signal does. */
  readonly signal: AbortSignal;
}

function giveBack(context: StoreContext, { kind, key, holder }: Lease): void {
  try {
    context.write("end a turn", (w) => deleteLease(w, kind, key, holder));
  } catch (error) {
    // The turn itself is over and has its result: a lease that cannot be given back ends by its time.
    if (!isStateError(error)) throw error;
  }
}

/**
 * Runs one turn of a conversation alone: waits for the turn of another process to end, claims it, refreshes the claim
 * while `fn` runs, and gives it back. Pass `turn.holder` to the appends of the turn; they fail once it is lost
 * (COR-25).
 *
 * @example
 * ```ts
 * await withTurnLease(store, "s1", async (turn) => {
 *   const mine = { turnLeaseHolder: turn.holder };
 *   return store.messages.append("s1", { role: "user", content: "hello" }, mine);
 * });
 * ```
 * @param sessionId - Any session of the conversation.
 * @returns What `fn` returns.
 * @throws What `fn` throws; the reason of the signal. StateError `STATE_E_TURN_LEASE_HELD`, `STATE_E_ABORTED`,
 * `STATE_E_BUSY`.
 */
export async function withTurnLease<T>(
  store: StoreContext,
  sessionId: string,
  fn: (turn: Turn) => T | Promise<T>,
  options: TurnOptions = {},
): Promise<T> {
  const resolved = resolveTurnOptions(options);
  const holder = resolved.holder ?? newHolder(newAgent(store.random), store.random);
  const lease = await waitForTurn(store, sessionId, holder, resolved);
  const ended = new AbortController();
  const lost = new AbortController();
  const kept = keepTurn(store, sessionId, lease, resolved.pause, ended.signal, (reason) => {
    lost.abort(reason);
  });
  try {
    return await fn({ ...lease, signal: AbortSignal.any([lost.signal, resolved.signal]) });
  } finally {
    ended.abort();
    await kept;
    giveBack(store, lease);
  }
}
