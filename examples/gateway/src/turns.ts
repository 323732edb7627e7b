/** One turn at a time for each peer, in the order they came; turns of different peers run side by side. */
export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(peer: string, turn: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(peer) ?? Promise.resolve()).then(turn);
    const tail = result.catch(() => undefined);
    this.#tails.set(peer, tail);
    void tail.then(() => {
      if (this.#tails.get(peer) === tail) this.#tails.delete(peer);
    });
    return result;
  }

  /** Waits until no turn runs. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
