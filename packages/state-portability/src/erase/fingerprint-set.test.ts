import fc from "fast-check";
import { expect, it } from "vitest";
import { FingerprintSet } from "./fingerprint-set.js";

/** Beginnings that a needle stands for. */
const LENGTHS = [48, 24, 16, 12, 11, 10, 9, 8, 7, 6];

function windowOf(needle: Buffer): Buffer {
  return needle.subarray(0, LENGTHS.find((length) => length <= needle.length) ?? 0);
}

function countFound(set: FingerprintSet, hay: Buffer): number {
  const found = new Set<number>();
  set.scan(hay, (needle) => found.add(needle));
  return found.size;
}

const bytes = (minLength: number, maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength, maxLength, max: 3 }).map((array) => Buffer.from(array));
const needles = fc.array(bytes(6, 60), { minLength: 1, maxLength: 30 });

it("POR-06 finds exactly the needles that a plain search finds", () => {
  fc.assert(
    fc.property(bytes(0, 300), needles, (hay, list) => {
      const set = new FingerprintSet();
      for (const needle of list) set.add(needle);
      const windows = new Set(list.map((needle) => windowOf(needle).toString("hex")));
      expect(set.size).toBe(windows.size);
      const expected = [...windows].filter((hex) => hay.includes(Buffer.from(hex, "hex")));
      expect(countFound(set, hay)).toBe(expected.length);
    }),
    { numRuns: 500 },
  );
});

it("POR-06 forgets what it was told to drop, and nothing else, also through its bytes", () => {
  fc.assert(
    fc.property(bytes(0, 100), bytes(0, 100), needles, (kept, hay, list) => {
      const set = new FingerprintSet();
      for (const needle of list) set.add(needle);
      set.drop(kept);
      const windows = new Set(list.map((needle) => windowOf(needle).toString("hex")));
      const left = [...windows].map((hex) => Buffer.from(hex, "hex")).filter((window) => !kept.includes(window));
      const again = new FingerprintSet();
      again.addEntries(set.toEntries());
      for (const one of [set, again]) {
        expect(one.size).toBe(left.length);
        expect(countFound(one, hay)).toBe(left.filter((window) => hay.includes(window)).length);
      }
    }),
    { numRuns: 300 },
  );
});

it("POR-06 holds hundreds of thousands, finds each, and takes no more than it was made for", () => {
  const set = new FingerprintSet(200_000);
  const needle = (index: number): Buffer => Buffer.from(`needle number ${String(index)} of many`);
  const rooms = new Set<string>();
  for (let index = 0; index < 250_000; index++) {
    rooms.add(set.room);
    set.add(needle(index));
  }
  expect([set.size, set.room, [...rooms]]).toEqual([200_000, "none", ["plenty", "little", "least", "none"]]);
  let missed = 0;
  for (let index = 0; index < 200_000; index += 97) missed += 1 - countFound(set, needle(index));
  expect(missed).toBe(0);
  expect(countFound(set, needle(225_000))).toBe(0);
});

it("POR-06 ignores what is too short to mean something", () => {
  const set = new FingerprintSet();
  set.add(Buffer.from("short"));
  expect([set.size, countFound(set, Buffer.from("too short"))]).toEqual([0, 0]);
});
