import type { Scope } from "./scope.js";
import type { TurnState } from "./runtime-scopes.js";

/** Gives a lease back. What it throws goes to whoever ends the turn. */
export type ReleaseLease = () => void;

/** What a turn needs of its runtime. */
export interface TurnOwner {
  /** The turn is over for its owner. */
  readonly ended: () => void;
  /** Leases that are held, by run generation. */
  readonly leases: Map<number, ReleaseLease>;
}

/**
 * One turn of the agent. Its owner ends it, whatever happened meanwhile: a turn that another one has replaced can no
 * longer write, but its leases stay its own until then (GWS-08).
 */
export class Turn<T extends TurnState = TurnState> {
  /** Counts the runs of a peer upwards; never used twice. */
  readonly generation: number;
  readonly #scope: Scope<T>;
  readonly #owner: TurnOwner;

  constructor(generation: number, scope: Scope<T>, owner: TurnOwner) {
    this.generation = generation;
    this.#scope = scope;
    this.#owner = owner;
  }

  /** What belongs to this turn; once the turn is over it can only be read. */
  get state(): T {
    return this.#scope.state;
  }

  /** Whether it is the turn that runs: neither ended nor replaced. */
  get isCurrent(): boolean {
    return this.#scope.open;
  }

  /**
   * Takes a lease for this turn; the one it held before is given back. Of a turn that is over it is given back at once.
   *
   * @returns Whether it is held.
   */
  holdLease(release: ReleaseLease): boolean {
    this.releaseLease();
    if (!this.isCurrent) {
      release();
      return false;
    }
    this.#owner.leases.set(this.generation, release);
    return true;
  }

  /** Gives the lease back: the first call does, all others do nothing. @returns Whether it did. */
  releaseLease(): boolean {
    const release = this.#owner.leases.get(this.generation);
    if (release === undefined) return false;
    this.#owner.leases.delete(this.generation);
    release();
    return true;
  }

  /** Ends the turn and gives its lease back. @returns Whether it was the turn that ran. */
  end(): boolean {
    const current = this.#scope.open;
    this.#scope.close();
    this.#owner.ended();
    this.releaseLease();
    return current;
  }
}
