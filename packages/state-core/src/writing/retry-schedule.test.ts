import { expect, it } from "vitest";
import { retryDelayMs } from "./retry-schedule.js";

const fixed = (value: number): { next: () => number; hex: () => string } => ({ next: () => value, hex: () => "" });

it.each([
  [0, 0, 20],
  [0, 1, 150],
  [1_999, 0.5, 85],
  [2_000, 0, 250],
  [2_000, 1, 1_000],
])("GND-05 after %i ms of waiting and a draw of %f sleeps %i ms", (waited, draw, expected) => {
  expect(retryDelayMs(waited, 60_000, fixed(draw))).toBe(expected);
});

it("GND-05 never sleeps past the deadline", () => {
  expect(retryDelayMs(5_000, 7, fixed(1))).toBe(7);
});
