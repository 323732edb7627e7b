import { isStateError } from "../errors/state-error.js";
import type { StoreContext } from "../store/context.js";
import { adoptTip } from "./adopt-tip.js";

/**
 * Runs a write for a session that a client may know by an earlier segment's id: when a compaction closed that one, the
 * write runs once more, for the live tip of the conversation. Exactly once: a second refusal passes on (COR-26).
 *
 * @example
 * ```ts
 * withAdoption(store, "s1", (id) => store.messages.append(id, { role: "user", content: "still there?" }));
 * ```
 * @param write - Writes for the session it is given; it must do so in one transaction.
 * @throws What `write` throws. StateError `STATE_E_NO_LIVE_CONTINUATION` naming the tip.
 */
export function withAdoption<T>(store: StoreContext, sessionId: string, write: (sessionId: string) => T): T {
  try {
    return write(sessionId);
  } catch (error) {
    if (!isStateError(error, "STATE_E_COMPRESSION_CLOSED") || error.facts.sessionId !== sessionId) throw error;
  }
  return write(store.read((r) => adoptTip(r, sessionId)));
}
