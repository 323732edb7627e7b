import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dataRanges } from "./data-ranges.js";

const MIB = 2 ** 20;

/** What is said of a file of `size` bytes with 4 KiB of data at each offset; the rest was never written. */
function rangesOf(size: number, offsets: readonly number[]): { start: number; end: number }[] {
  const folder = mkdtempSync(join(tmpdir(), "hermes-ranges-"));
  const file = openSync(join(folder, "sparse"), "w+");
  try {
    ftruncateSync(file, size);
    for (const offset of offsets) writeSync(file, Buffer.alloc(4096, 1), 0, 4096, offset);
    return [...dataRanges(file, size)];
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

const covers = (ranges: readonly { start: number; end: number }[], offset: number): boolean =>
  ranges.some(({ start, end }) => start <= offset && offset + 4096 <= end);

it.each([
  ["at its start", [0]],
  ["in its middle", [64 * MIB]],
  ["at its end", [128 * MIB - 4096]],
  ["here and there", [0, 10 * MIB, 10 * MIB + 4096, 100 * MIB]],
])("REP-02 covers the data of a sparse file %s, in order and within its size", (_, offsets) => {
  const ranges = rangesOf(128 * MIB, offsets);
  for (const offset of offsets) expect(covers(ranges, offset), JSON.stringify(ranges)).toBe(true);
  ranges.forEach(({ start, end }, index) => {
    expect(start).toBeLessThan(end);
    expect(start).toBeGreaterThanOrEqual(ranges[index - 1]?.end ?? 0);
    expect(end).toBeLessThanOrEqual(128 * MIB);
  });
});

it.runIf(process.platform === "linux")("REP-02 leaves holes out where the system tells of them", () => {
  expect(rangesOf(128 * MIB, [])).toEqual([]);
  const bytes = rangesOf(128 * MIB, [64 * MIB]).reduce((sum, { start, end }) => sum + end - start, 0);
  expect(bytes).toBeLessThan(MIB);
});

it("REP-02 takes what the system does not answer for as data, and nothing of an empty file", () => {
  expect([...dataRanges(-1, 5000)]).toEqual([{ start: 0, end: 5000 }]);
  expect(rangesOf(0, [])).toEqual([]);
});
