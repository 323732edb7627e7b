import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@hermes/state-core";
import { Approvals } from "./approvals.js";
import type { ConversationState, PersistentState, RuntimeScopes, TurnState } from "./runtime-scopes.js";
import { openScope, plainState, scopeClosed } from "./scope.js";
import type { Scope } from "./scope.js";
import { Turn } from "./turn.js";
import type { ReleaseLease } from "./turn.js";

/** The last number of a run. One count serves every peer: none falls when a runtime is dropped and made anew. */
export interface RunGenerations {
  last: number;
}

/** What a runtime is made of. */
export interface RuntimeParts<T extends TurnState, C extends ConversationState, P extends PersistentState> {
  readonly sessionKey: string;
  readonly scopes: RuntimeScopes<T, C, P>;
  readonly clock: Pick<Clock, "now">;
  readonly generations: RunGenerations;
}

/**
 * What a gateway keeps of a peer while it runs, in three scopes: the turn, the conversation, and what outlives both. A
 * boundary replaces the whole object of a scope, so that nothing can be forgotten there (GWS-08).
 */
export class SessionRuntime<
  T extends TurnState = TurnState,
  C extends ConversationState = ConversationState,
  P extends PersistentState = PersistentState,
> {
  readonly sessionKey: string;
  readonly approvals: Approvals;
  readonly #parts: RuntimeParts<T, C, P>;
  readonly #persistent: Scope<P>;
  readonly #leases = new Map<number, ReleaseLease>();
  #conversation: Scope<C>;
  #conversations = 0;
  #turn: { readonly turn: Turn<T>; readonly scope: Scope<T> } | undefined;
  #runGeneration: number;
  #open = true;

  constructor(parts: RuntimeParts<T, C, P>) {
    this.sessionKey = parts.sessionKey;
    this.approvals = new Approvals(parts.sessionKey);
    this.#parts = parts;
    this.#runGeneration = parts.generations.last;
    this.#persistent = openScope(`runtime of ${parts.sessionKey}`, parts.scopes.persistent());
    this.#conversation = this.#openConversation();
  }

  /** What belongs to the conversation that goes on; another object after each boundary. */
  get conversation(): C {
    return this.#conversation.state;
  }

  /** What outlives conversations. */
  get persistent(): P {
    return this.#persistent.state;
  }

  /** The turn that runs. */
  get turn(): Turn<T> | undefined {
    return this.#turn?.turn;
  }

  /** Grows with every turn that begins or is stopped and never falls: a run of an older number is no longer wanted. */
  get runGeneration(): number {
    return this.#runGeneration;
  }

  /** The run generations whose leases have not been given back. */
  get heldLeases(): readonly number[] {
    return [...this.#leases.keys()];
  }

  /**
   * Begins a turn in the place of one that runs.
   *
   * @throws StateError `STATE_E_SCOPE_CLOSED` when the runtime is over.
   */
  beginTurn(): Turn<T> {
    this.#checkOpen("a turn");
    this.stopTurn();
    const { sessionKey, scopes, clock } = this.#parts;
    const generation = this.#nextGeneration();
    const scope = openScope(`turn ${String(generation)} of ${sessionKey}`, scopes.turn(clock.now()));
    const ended = (): void => {
      if (this.#turn?.turn === turn) this.#turn = undefined;
    };
    const turn = new Turn(generation, scope, { ended, leases: this.#leases });
    this.#turn = { turn, scope };
    return turn;
  }

  /** Gives up the turn that runs: it can no longer write. Its owner still ends it. @returns Whether there was one. */
  stopTurn(): boolean {
    if (this.#turn === undefined) return false;
    this.#turn.scope.close();
    this.#turn = undefined;
    this.#nextGeneration();
    return true;
  }

  /**
   * Begins a conversation: the turn that runs belongs to the old one and is given up, and each approval is taken back.
   *
   * @returns The ids of the approvals that were taken back.
   * @throws As {@link SessionRuntime.beginTurn}.
   */
  beginConversation(): readonly string[] {
    this.#checkOpen("a conversation");
    this.stopTurn();
    this.#conversation.close();
    this.#conversation = this.#openConversation();
    return this.approvals.clear();
  }

  /** Whether a new runtime would be the same: no turn, no lease, no question, and nothing that anybody set. */
  get isAtRest(): boolean {
    const { scopes } = this.#parts;
    return (
      this.#turn === undefined &&
      this.#leases.size === 0 &&
      this.approvals.isEmpty &&
      isDeepStrictEqual(plainState(this.conversation), scopes.conversation()) &&
      isDeepStrictEqual(plainState(this.persistent), scopes.persistent())
    );
  }

  /** Ends it: whoever still holds it can no longer write. Leases stay with the owners of their turns. */
  close(): void {
    this.#open = false;
    this.stopTurn();
    this.#conversation.close();
    this.#persistent.close();
    this.approvals.close();
  }

  #nextGeneration(): number {
    this.#parts.generations.last += 1;
    return (this.#runGeneration = this.#parts.generations.last);
  }

  #checkOpen(what: string): void {
    if (!this.#open) throw scopeClosed(`runtime of ${this.sessionKey}`, what);
  }

  #openConversation(): Scope<C> {
    this.#conversations += 1;
    const name = `conversation ${String(this.#conversations)} of ${this.sessionKey}`;
    return openScope(name, this.#parts.scopes.conversation());
  }
}
