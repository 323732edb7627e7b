import { testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { ChunkSpan } from "./chunk-span.js";

/** Sizes of the steps, when each id takes so many milliseconds. */
function sizes(msPerId: readonly number[]): number[] {
  const clock = testClock();
  const span = new ChunkSpan(clock);
  return msPerId.map((ms) =>
    span.measure((ids) => {
      clock.advance(ids * ms);
      return ids;
    }),
  );
}

it("SEA-08 steps shrink where rows are long, never below ten ids, and grow again to 500", () => {
  expect(sizes([0.1, 0.1, 0.1])).toEqual([500, 500, 500]);
  expect(sizes([2, 2, 2, 2, 0.1, 0.1, 0.1])).toEqual([500, 250, 125, 125, 125, 250, 500]);
  expect(sizes(Array.from({ length: 8 }, () => 1000))).toEqual([500, 250, 125, 62, 31, 15, 10, 10]);
});
