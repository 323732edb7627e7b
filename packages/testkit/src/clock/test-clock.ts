/** A clock that stands still until it is told otherwise; sleeping advances it. Fits the store's `Clock`. */
export interface TestClock {
  /** REAL seconds since the epoch. */
  now(): number;
  /** Milliseconds that only grow, whatever {@link TestClock.set} does. */
  monotonicMs(): number;
  /** Advances both readings by `ms` and returns at once. */
  sleep(ms: number): void;
  /** Moves the wall clock, also backwards; the monotonic reading stays. */
  set(seconds: number): void;
  /** Advances both readings by `ms` milliseconds. */
  advance(ms: number): void;
  /** Every sleep so far, in milliseconds. */
  readonly sleeps: readonly number[];
}

/**
 * Creates a clock for a test.
 *
 * @param start - First wall-clock reading, in REAL seconds since the epoch.
 */
export function testClock(start = 1_700_000_000): TestClock {
  let wall = start;
  let monotonic = 0;
  const sleeps: number[] = [];
  const advance = (ms: number): void => {
    if (!(ms >= 0)) throw new RangeError(`testClock: cannot advance by ${String(ms)} ms; use set() to step back`);
    wall += ms / 1000;
    monotonic += ms;
  };
  return {
    now: () => wall,
    monotonicMs: () => monotonic,
    sleep: (ms) => {
      sleeps.push(ms);
      advance(ms);
    },
    set: (seconds) => {
      wall = seconds;
    },
    advance,
    sleeps,
  };
}
