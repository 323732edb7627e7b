import { isStateError } from "@hermes/state-core";
import type { Session } from "@hermes/state-core";
import { SessionDbGateway } from "./session-db-gateway.js";

/** How the handoff of a session stands. */
export interface HandoffRow {
  readonly state: string;
  readonly platform: string | null;
  readonly error: string | null;
}

/** Sessions that the one-object store hands over to another platform. */
export abstract class SessionDbHandoff extends SessionDbGateway {
  /** Asks for a handoff. @returns Whether this call did; false while one is under way, and for an unknown id. */
  requestHandoff(sessionId: string, platform: string): boolean {
    return this.store.handoff.request(sessionId, platform);
  }

  /** How a handoff stands; null when none was asked for. */
  getHandoffState(sessionId: string): HandoffRow | null {
    try {
      const { state, platform, error } = this.store.handoff.get(sessionId);
      return state === null ? null : { state, platform, error };
    } catch (error) {
      if (isStateError(error, "STATE_E_SESSION_NOT_FOUND")) return null;
      throw error;
    }
  }

  /** Sessions whose handoff nobody has claimed yet, the oldest first. */
  listPendingHandoffs(): Session[] {
    return this.rows(
      this.store.handoff.pending().flatMap(({ sessionId }) => this.store.sessions.find(sessionId) ?? []),
    );
  }

  /** Takes a handoff on. @returns Whether it is this caller's: of any number of claims one is true. */
  claimHandoff(sessionId: string): boolean {
    return this.store.handoff.claim(sessionId);
  }

  /** Says that a handoff is done. @returns Whether one was under way. */
  completeHandoff(sessionId: string): boolean {
    return this.store.handoff.complete(sessionId);
  }

  /** Says that a handoff failed; 500 characters of the reason are kept. @returns Whether one was under way. */
  failHandoff(sessionId: string, error: string): boolean {
    return this.store.handoff.fail(sessionId, error);
  }
}
