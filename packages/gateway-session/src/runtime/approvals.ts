import { StateError } from "@hermes/state-core";
import { scopeClosed } from "./scope.js";

/** How far a grant goes: for the one thing that was asked for, or for the rest of the conversation. */
export type GrantReach = "once" | "conversation";

/** A question to the peer that waits for its answer. */
export interface ApprovalTicket {
  readonly id: string;
  /** What was asked, in words. */
  readonly what: string;
  /**
   * @throws StateError `STATE_E_APPROVAL_GONE` when the conversation it was asked in is over, or it was answered or
   * asked anew.
   */
  grant(reach?: GrantReach): void;
  /** @throws As {@link ApprovalTicket.grant}. */
  deny(): void;
}

/**
 * What a peer allowed. An approval belongs to the conversation it was asked for in: a boundary takes back each question
 * and each grant, and an answer that comes late finds nothing to answer (GWS-08).
 */
export class Approvals {
  readonly #asked = new Map<string, ApprovalTicket>();
  readonly #granted = new Map<string, GrantReach>();
  readonly #sessionKey: string;
  #open = true;

  constructor(sessionKey: string) {
    this.#sessionKey = sessionKey;
  }

  /**
   * Asks for something. A question of the same id that waits is asked anew: its old ticket answers nothing.
   *
   * @throws StateError `STATE_E_SCOPE_CLOSED` when the runtime is over.
   */
  ask(id: string, what: string): ApprovalTicket {
    if (!this.#open) throw scopeClosed(`runtime of ${this.#sessionKey}`, `the question "${id}"`);
    const ticket: ApprovalTicket = {
      id,
      what,
      grant: (reach = "once") => {
        this.#answer(ticket);
        this.#granted.set(id, reach);
      },
      deny: () => {
        this.#answer(ticket);
        this.#granted.delete(id);
      },
    };
    this.#asked.set(id, ticket);
    return ticket;
  }

  /** The questions that wait, the oldest first. */
  pending(): readonly ApprovalTicket[] {
    return [...this.#asked.values()];
  }

  /** Uses a grant: one that was given once is used up. @returns Whether the peer allowed it. */
  take(id: string): boolean {
    const reach = this.#granted.get(id);
    if (reach === "once") this.#granted.delete(id);
    return reach !== undefined;
  }

  /** Whether nothing is asked and nothing granted. */
  get isEmpty(): boolean {
    return this.#asked.size === 0 && this.#granted.size === 0;
  }

  /** Takes back every question and every grant. @returns The ids of what was taken back. */
  clear(): readonly string[] {
    const ids = new Set([...this.#asked.keys(), ...this.#granted.keys()]);
    this.#asked.clear();
    this.#granted.clear();
    return [...ids];
  }

  /** Takes back everything, for good. */
  close(): void {
    this.#open = false;
    this.clear();
  }

  #answer(ticket: ApprovalTicket): void {
    const { id, what } = ticket;
    if (this.#asked.get(id) !== ticket) {
      const message = `Nothing waits for this answer to "${id}" any more. Ask again in the conversation that goes on.`;
      throw new StateError("STATE_E_APPROVAL_GONE", message, { id, what });
    }
    this.#asked.delete(id);
  }
}
