/** Time as the store sees it. Injected, so that tests decide what time it is. */
export interface Clock {
  /** Wall clock, REAL seconds since the epoch, as the file stores it. */
  now(): number;
  /** Milliseconds that never run backwards; only differences mean anything. */
  monotonicMs(): number;
  /** Blocks this thread for about `ms` milliseconds. */
  sleep(ms: number): void;
}

const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  monotonicMs: () => performance.now(),
  sleep: (ms) => {
    Atomics.wait(sleepCell, 0, 0, ms);
  },
};
