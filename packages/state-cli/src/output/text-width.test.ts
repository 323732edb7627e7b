import { describe, expect, it } from "vitest";
import { textWidth, truncate } from "./text-width.js";

describe("textWidth", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["数据库", 6],
    ["カナ", 4],
    ["한국", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["👍", 2],
    ["a\u200bb", 2],
  ])("measures %j as %i columns", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe("truncate", () => {
  it("cuts by columns, between characters, and says so", () => {
    expect(truncate("abcdef", 4)).toBe("abc…");
    expect(truncate("数据库修复", 6)).toBe("数据…");
    expect(truncate("ab👩‍👩‍👧cd", 5)).toBe("ab👩‍👩‍👧…");
    expect(truncate("abc", 3)).toBe("abc");
    expect(truncate("数", 1)).toBe("…");
  });
});
