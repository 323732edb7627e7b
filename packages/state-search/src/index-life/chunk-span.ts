import type { Clock } from "@hermes/state-core";
import { BACKFILL_CHUNK } from "@hermes/state-schema";

/** A step that holds the write lock longer is followed by one of half its size. */
const LONG_MS = 250;
const SHORT_MS = 60;
const FEWEST = 10;

/**
 * How many ids the next step of a backfill covers. Short messages go 500 at a time; where they are long, steps shrink,
 * so that no other writer waits a second for one (SEA-08).
 */
export class ChunkSpan {
  readonly #clock: Clock;
  #ids = BACKFILL_CHUNK;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a step inside its transaction and learns from what it took; waiting for the lock does not count. */
  measure<T>(step: (ids: number) => T): T {
    const begun = this.#clock.monotonicMs();
    const result = step(this.#ids);
    const took = this.#clock.monotonicMs() - begun;
    if (took > LONG_MS) this.#ids = Math.max(FEWEST, this.#ids >> 1);
    else if (took < SHORT_MS) this.#ids = Math.min(BACKFILL_CHUNK, this.#ids * 2);
    return result;
  }
}
