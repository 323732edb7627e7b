import { describe, expect, it } from "vitest";
import { moment, resolveMoment, wholeNumber } from "./parse-values.js";

describe("moment", () => {
  it.each([
    ["30m", 1_000_000 - 1800],
    ["5h", 1_000_000 - 18_000],
    ["2d", 1_000_000 - 172_800],
    ["1w", 1_000_000 - 604_800],
    ["2026-03-01T10:00Z", Date.UTC(2026, 2, 1, 10) / 1000],
    ["2026-03-01 10:00:30+02:00", Date.UTC(2026, 2, 1, 8, 0, 30) / 1000],
    ["2026-03-01", new Date(2026, 2, 1).getTime() / 1000],
  ])("reads %s", (text, seconds) => {
    expect(resolveMoment(moment(text), 1_000_000)).toBe(seconds);
  });

  it.each([["yesterday"], ["5"], ["-2d"], ["2026-13-01"], ["2026-03-01T25:00Z"], [""]])("refuses %j", (text) => {
    expect(() => moment(text)).toThrow();
  });
});

describe("wholeNumber", () => {
  it("takes whole numbers from its least upwards", () => {
    expect([wholeNumber(1)("7"), wholeNumber(0)("0")]).toEqual([7, 0]);
    for (const text of ["0", "-1", "1.5", "1e3", "x", "", "99999999999999999999"]) {
      expect(() => wholeNumber(1)(text), text).toThrow();
    }
  });
});
