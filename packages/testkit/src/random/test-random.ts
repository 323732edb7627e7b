/** Repeatable randomness. Fits the store's `Random`. */
export interface TestRandom {
  readonly seed: number;
  /** A number in [0, 1). */
  next(): number;
  /** `bytes` random bytes in lower-case hex. */
  hex(bytes: number): string;
  /** An integer in [from, to]. */
  int(from: number, to: number): number;
  /** One of `items`. */
  pick<T>(items: readonly T[]): T;
}

/**
 * Creates a generator whose every run with one seed is the same (mulberry32).
 *
 * @param seed - Any 32-bit number; {@link seedFor} gives one and prints it.
 */
export function testRandom(seed: number): TestRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    seed: seed >>> 0,
    next,
    hex: (bytes) => Array.from({ length: bytes }, () => int(0, 255).toString(16).padStart(2, "0")).join(""),
    int,
    pick: (items) => {
      if (items.length === 0) throw new RangeError("testRandom: cannot pick from an empty list");
      return items[int(0, items.length - 1)] as (typeof items)[number];
    },
  };
}
