/** Runs work of one name one after the other, in the order it was asked for; different names do not wait. */
export class Lanes {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#last.set(name, result);
    const forget = (): void => {
      if (this.#last.get(name) === result) this.#last.delete(name);
    };
    result.then(forget, forget);
    return result;
  }

  /** Settles when nothing runs and nothing waits to run; never rejects. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
