import { expect, it } from "vitest";
import { hasWalResetBug } from "./wal-reset-bug.js";

it.each([
  ["3.6.23", false],
  ["3.7.0", true],
  ["3.40.1", true],
  ["3.44.5", true],
  ["3.44.6", false],
  ["3.44.9", false],
  ["3.45.0", true],
  ["3.50.4", true],
  ["3.50.6", true],
  ["3.50.7", false],
  ["3.51.0", true],
  ["3.51.2", true],
  ["3.51.3", false],
  ["3.53.2", false],
  ["4.0.0", false],
])("COR-01 judges SQLite %s: has the WAL-reset bug = %s", (version, expected) => {
  expect(hasWalResetBug(version)).toBe(expected);
});
