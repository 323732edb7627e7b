import { describe, expect, it } from "vitest";
import { exactJson, parseExactJson } from "./exact-json.js";

describe("JSON with large numbers", () => {
  it.each([
    '{"id":12345678901234567890,"text":"12345678901234567890","list":[-9007199254740993,1]}',
    '{"a":0.1234567890123456,"b":1e+21,"c":"\\"9007199254740993","d":9007199254740991}',
    '[{"x":{"y":[18446744073709551616]}}]',
  ])("POR-05 gives the digits back: %s", (text) => {
    expect(exactJson(parseExactJson(text))).toBe(text);
  });

  it("POR-05 makes bigint of what a number cannot hold, and of nothing else", () => {
    expect(parseExactJson("[9007199254740993, 9007199254740991, 1234567890123456789.5]")).toEqual([
      9007199254740993n,
      9007199254740991,
      1234567890123456800,
    ]);
    expect(parseExactJson('[NaN, 9007199254740993, "__proto__"]')).toEqual([NaN, 9007199254740993n, "__proto__"]);
  });

  it("POR-02 refuses what is no JSON also beside large numbers", () => {
    expect(() => parseExactJson("[9007199254740993")).toThrow(SyntaxError);
    expect(() => parseExactJson("{9007199254740993}")).toThrow(SyntaxError);
    expect(() => parseExactJson("{9007199254740993: 1}")).toThrow(SyntaxError);
  });
});
