import { isDeepStrictEqual } from "node:util";
import type { LegacyFieldSpec } from "./legacy-field-specs.js";
import { SessionState } from "./session-state.js";

/**
 * One field of every session, as the map by session key that it once was (CPT-03). It holds nothing itself: what a
 * boundary clears is gone here, too. A field with the value it began with counts as absent.
 */
export class SessionFieldView {
  readonly #states: Map<string, SessionState>;
  readonly #spec: LegacyFieldSpec;

  constructor(states: Map<string, SessionState>, spec: LegacyFieldSpec) {
    this.#states = states;
    this.#spec = spec;
  }

  get size(): number {
    return [...this.entries()].length;
  }

  has(sessionKey: string): boolean {
    const state = this.#states.get(sessionKey);
    return state !== undefined && !isDeepStrictEqual(this.#value(state), this.#fresh());
  }

  get(sessionKey: string): unknown {
    const state = this.#states.get(sessionKey);
    return state && this.has(sessionKey) ? this.#value(state) : undefined;
  }

  set(sessionKey: string, value: unknown): this {
    const state = this.#states.get(sessionKey) ?? new SessionState();
    this.#states.set(sessionKey, state);
    Reflect.set(state[this.#spec.scope], this.#spec.field, value);
    return this;
  }

  /** @returns Whether it was there. */
  delete(sessionKey: string): boolean {
    const there = this.has(sessionKey);
    if (there) this.set(sessionKey, this.#fresh());
    return there;
  }

  /** Takes this field back in every session. */
  clear(): void {
    for (const key of [...this.keys()]) this.delete(key);
  }

  *keys(): IterableIterator<string> {
    for (const key of this.#states.keys()) if (this.has(key)) yield key;
  }

  *values(): IterableIterator<unknown> {
    for (const [, value] of this.entries()) yield value;
  }

  *entries(): IterableIterator<[string, unknown]> {
    for (const key of this.keys()) yield [key, this.get(key)];
  }

  [Symbol.iterator](): IterableIterator<[string, unknown]> {
    return this.entries();
  }

  #value(state: SessionState): unknown {
    return Reflect.get(state[this.#spec.scope], this.#spec.field);
  }

  #fresh(): unknown {
    return this.#value(new SessionState());
  }
}
