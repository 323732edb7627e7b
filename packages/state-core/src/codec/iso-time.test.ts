import { describe, expect, it } from "vitest";
import { isoTime } from "./iso-time.js";

describe("isoTime", () => {
  it("spells REAL seconds in UTC with milliseconds", () => {
    expect(isoTime(1_770_000_000.25)).toBe("2026-02-02T02:40:00.250Z");
    expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
  });

  it.each([["x"], [null], [undefined], [5.49e246], [-1], [Number.NaN], [253_402_300_800]])(
    "P28 answers undefined for %s, which is no moment",
    (cell) => {
      expect(isoTime(cell)).toBeUndefined();
    },
  );
});
