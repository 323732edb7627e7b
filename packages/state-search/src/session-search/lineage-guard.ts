import {
  BOUNDARY_END_REASONS,
  COMPRESSION_END_REASON,
  isStateError,
  type MessageRow,
} from "@hermes/state-core";
import type { SessionStore } from "./session-store.js";

/**
 * Knows which sessions hang together with the one the agent is in. What the agent can see anyway is no find; what left
 * its context by a compaction or a reset is.
 */
export class LineageGuard {
  readonly #store: SessionStore;
  readonly #roots = new Map<string, string>();
  readonly #left = new Map<string, boolean>();
  readonly #current: string | undefined;

  /** @param currentSessionId - Undefined when the agent is in no session of this store. */
  constructor(store: SessionStore, currentSessionId: string | undefined) {
    this.#store = store;
    this.#current = currentSessionId === undefined ? undefined : this.rootOf(currentSessionId);
  }

  /** The top of the tree a session stands in; the session itself when its row is gone. */
  rootOf(sessionId: string): string {
    const known = this.#roots.get(sessionId);
    if (known !== undefined) return known;
    const root = this.#readRoot(sessionId);
    this.#roots.set(sessionId, root);
    return root;
  }

  /** True for the agent's session and all that stands in one tree with it: segments, branches, delegates. */
  isCurrent(sessionId: string): boolean {
    return this.#current !== undefined && this.rootOf(sessionId) === this.#current;
  }

  /** True when a message is not in the live context of the agent. */
  leftContext(sessionId: string, row: Pick<MessageRow, "active" | "compacted">): boolean {
    if (!this.isCurrent(sessionId)) return true;
    if (row.active === false) return row.compacted === true;
    return this.hasLeft(sessionId);
  }

  /** True when a session as a whole is not in the live context of the agent. */
  hasLeft(sessionId: string): boolean {
    if (!this.isCurrent(sessionId)) return true;
    const known = this.#left.get(sessionId);
    if (known !== undefined) return known;
    const reason = this.#store.sessions.find(sessionId)?.endReason ?? "";
    const left = reason === COMPRESSION_END_REASON || BOUNDARY_END_REASONS.has(reason);
    this.#left.set(sessionId, left);
    return left;
  }

  #readRoot(sessionId: string): string {
    try {
      return this.#store.lineage.root(sessionId);
    } catch (error) {
      if (isStateError(error, "STATE_E_SESSION_NOT_FOUND")) return sessionId;
      throw error;
    }
  }
}
