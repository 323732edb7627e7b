import type { SkippedRange } from "./recovery-report.js";

const MOST_RANGES = 10_000;

/** Key ranges that could not be read; neighbours with one error are one range. */
export class SkippedRanges {
  readonly #ranges: SkippedRange[] = [];
  #span = 0;

  add(low: number, high: number, error: string): void {
    this.#span += high - low + 1;
    const last = this.#ranges.at(-1);
    if (last?.error === error && last.high + 1 === low) {
      this.#ranges[this.#ranges.length - 1] = { low: last.low, high, error };
    } else if (this.#ranges.length < MOST_RANGES) {
      this.#ranges.push({ low, high, error });
    }
  }

  get ranges(): readonly SkippedRange[] {
    return this.#ranges;
  }

  /** Keys in all of them, at most 2^53. */
  get span(): number {
    return Math.min(this.#span, Number.MAX_SAFE_INTEGER);
  }
}
