import { describe, expect, it } from "vitest";
import { RawText } from "../rows/raw-row.js";
import { cellFromJson, cellToJson, rowToJson } from "./cell-json.js";

describe("cells as JSON", () => {
  const cells = [
    null,
    "",
    "a\u0000b 修复 👩‍👩‍👧",
    0,
    -1.5,
    5.49e246,
    2 ** 53,
    9223372036854775807n,
    -9223372036854775808n,
    Infinity,
    -Infinity,
    Buffer.from([0, 255, 128]),
    new RawText(Buffer.from([0xed, 0xa0, 0x80])),
  ];

  it.each(cells.map((cell) => [cell]))("POR-01 brings %s back exactly", (cell) => {
    const json: unknown = JSON.parse(JSON.stringify(cellToJson(cell)));
    expect(cellFromJson(json)).toEqual(cell);
  });

  it.each([
    [true],
    [undefined],
    [[]],
    [{}],
    [{ $int: "1", $blob: "" }],
    [{ $int: "1.5" }],
    [{ $int: "9223372036854775808" }],
    [{ $blob: "not base64!" }],
    [{ $real: "NaN" }],
    [{ $other: "x" }],
    [{ $blob: 5 }],
  ])("POR-02 refuses %j as a cell", (json) => {
    expect(cellFromJson(json)).toBeUndefined();
  });

  it("POR-01 leaves NULL out of a row and keeps the order of the columns", () => {
    expect(JSON.stringify(rowToJson({ b: "x", a: null, c: 0 }))).toBe('{"b":"x","c":0}');
  });
});
