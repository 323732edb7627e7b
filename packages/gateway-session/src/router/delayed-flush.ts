/** Calls back once, some time after the first of many changes. It keeps no process alive. */
export class DelayedFlush {
  readonly #delayMs: number;
  readonly #flush: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param delayMs - Zero: it never calls back. */
  constructor(delayMs: number, flush: () => void) {
    this.#delayMs = delayMs;
    this.#flush = flush;
  }

  /** Something changed. */
  note(): void {
    if (this.#timer !== undefined || this.#delayMs === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, this.#delayMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
