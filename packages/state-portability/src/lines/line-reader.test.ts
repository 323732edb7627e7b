import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LineReader } from "./line-reader.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lines-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function readAll(content: string | Buffer, max = 1_000_000): (string | undefined)[] {
  const path = join(folder, "input");
  writeFileSync(path, content);
  using reader = new LineReader(path, max);
  const lines: (string | undefined)[] = [];
  for (let line = reader.next(); line; line = reader.next()) lines.push(line.bytes?.toString("utf8"));
  return lines;
}

describe("LineReader", () => {
  it("POR-02 numbers lines from 1 and tells whether the last one is terminated", () => {
    writeFileSync(join(folder, "f"), "a\n\nbc");
    using reader = new LineReader(join(folder, "f"), 100);
    const seen = [reader.next(), reader.next(), reader.next(), reader.next()];
    expect(seen.map((line) => line && [line.number, line.offset, line.length, line.terminated])).toEqual([
      [1, 0, 1, true],
      [2, 2, 0, true],
      [3, 3, 2, false],
      undefined,
    ]);
  });

  it("POR-02 skips a line beyond the limit without holding it, and goes on with the next", () => {
    expect(readAll(`${"x".repeat(300_000)}\nshort\n${"y".repeat(11)}`, 10)).toEqual([undefined, "short", undefined]);
    expect(readAll(`${"x".repeat(10)}\n`, 10)).toEqual(["x".repeat(10)]);
  });

  it("POR-01 keeps characters whole across chunk borders", () => {
    const long = "修".repeat(50_000);
    expect(readAll(`${long}\n${long}\n`)).toEqual([long, long]);
  });

  it("POR-02 goes back to a mark, over chunk borders too", () => {
    const path = join(folder, "f");
    writeFileSync(path, Array.from({ length: 5000 }, (_, index) => `line ${index} ${"z".repeat(40)}\n`).join(""));
    using reader = new LineReader(path, 1000);
    for (let skip = 0; skip < 10; skip++) reader.next();
    const mark = reader.mark();
    const first = reader.next()?.bytes?.toString();
    for (let skip = 0; skip < 4000; skip++) reader.next();
    reader.seek(mark);
    expect(reader.next()).toMatchObject({ number: 11 });
    reader.seek(mark);
    expect(reader.next()?.bytes?.toString()).toBe(first);
  });

  it("reads an empty file as no lines", () => {
    expect(readAll("")).toEqual([]);
  });
});
