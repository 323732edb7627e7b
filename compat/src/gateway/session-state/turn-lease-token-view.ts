import { SessionState } from "./session-state.js";

/** A run of a session: its key and the generation of the run. */
export type TurnLeaseKey = readonly [sessionKey: string, generation: number];

/** The lease tokens of every run, as the map that they once were (CPT-03). It holds nothing itself. */
export class TurnLeaseTokenView {
  readonly #states: Map<string, SessionState>;

  constructor(states: Map<string, SessionState>) {
    this.#states = states;
  }

  get size(): number {
    return [...this.#states.values()].reduce((all, { leaseTokens }) => all + leaseTokens.size, 0);
  }

  has([sessionKey, generation]: TurnLeaseKey): boolean {
    return this.#states.get(sessionKey)?.leaseTokens.has(generation) ?? false;
  }

  get([sessionKey, generation]: TurnLeaseKey): unknown {
    return this.#states.get(sessionKey)?.leaseTokens.get(generation);
  }

  set([sessionKey, generation]: TurnLeaseKey, token: unknown): this {
    const state = this.#states.get(sessionKey) ?? new SessionState();
    this.#states.set(sessionKey, state);
    state.leaseTokens.set(generation, token);
    return this;
  }

  /** Takes a token out, to give it back. @returns Whether it was there: true for one caller only. */
  delete([sessionKey, generation]: TurnLeaseKey): boolean {
    return this.#states.get(sessionKey)?.leaseTokens.delete(generation) ?? false;
  }

  *entries(): IterableIterator<[TurnLeaseKey, unknown]> {
    for (const [sessionKey, { leaseTokens }] of this.#states) {
      for (const [generation, token] of leaseTokens) yield [[sessionKey, generation], token];
    }
  }

  [Symbol.iterator](): IterableIterator<[TurnLeaseKey, unknown]> {
    return this.entries();
  }
}
