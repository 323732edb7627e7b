import { expect, it } from "vitest";
import { META_KEYS } from "./meta-keys.js";

it("SCH-01 names every meta key once, and no key falls into another's family", () => {
  const keys = Object.values(META_KEYS);
  expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
  const families = keys.filter(({ prefix }) => prefix);
  for (const { key } of keys)
    expect(families.filter((other) => other.key !== key && key.startsWith(other.key))).toEqual([]);
});
