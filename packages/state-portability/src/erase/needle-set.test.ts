import fc from "fast-check";
import { expect, it } from "vitest";
import { NeedleSet } from "./needle-set.js";

it("POR-06 finds exactly the needles that a plain search finds", () => {
  const bytes = fc.uint8Array({ minLength: 0, maxLength: 200, max: 3 }).map((array) => Buffer.from(array));
  const needles = fc.array(
    fc.uint8Array({ minLength: 6, maxLength: 12, max: 3 }).map((array) => Buffer.from(array)),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(bytes, needles, (hay, list) => {
      const found = new Set<number>();
      new NeedleSet(list).scan(hay, found);
      const expected = list.flatMap((needle, id) => (hay.includes(needle) ? [id] : []));
      expect([...found].sort((a, b) => a - b)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
