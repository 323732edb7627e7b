import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { openMaintenanceConnection } from "@hermes/state-core";
import { fileMode, tempDir, testClock, withUmask } from "@hermes/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fingerprintOf } from "../evidence/fingerprint.js";
import { openLedger } from "./ledger.js";
import type { Ledger } from "./ledger.js";

let dir: ReturnType<typeof tempDir>;
let path: string;
let file: string;
let ledger: Ledger;

beforeEach(() => {
  dir = tempDir("ledger");
  path = dir.file("state.db");
  file = `${path}.repair-attempts.json`;
  writeFileSync(path, Buffer.alloc(8192, 1));
  ledger = openLedger(path, testClock());
});
afterEach(() => dir[Symbol.dispose]());

const written = (): unknown => JSON.parse(readFileSync(file, "utf8"));
const record = (fields: object): void => writeFileSync(file, JSON.stringify(fields));

/** Runs `fn` while this process has the database open, so that it has no key. */
function whileLive(fn: () => void): void {
  const connection = openMaintenanceConnection(path);
  try {
    fn();
  } finally {
    connection.close();
  }
}

it("REP-04 writes exactly the record the peer reads, readable by its owner only, and no draft stays", () => {
  withUmask(0o022, () => ledger.recordFailure());
  expect(Object.keys(written() as object)).toEqual(["fingerprint", "failed_attempts", "last_attempt"]);
  expect(written()).toMatchObject({ fingerprint: fingerprintOf(path), failed_attempts: 1 });
  expect((written() as { last_attempt: string }).last_attempt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  expect(fileMode(file)).toBe(0o600);
  expect(readdirSync(dir.path).sort()).toEqual(["state.db", "state.db.repair-attempts.json"]);
});

it("REP-04 is exhausted at the third failure and not before", () => {
  expect(ledger.exhausted()).toBe(false);
  for (const after of [false, false, true]) {
    ledger.recordFailure();
    expect(ledger.exhausted()).toBe(after);
  }
  expect(openLedger(path, testClock()).exhausted()).toBe(true);
});

it("REP-04 success forgets every attempt", () => {
  for (let pass = 0; pass < 3; pass++) ledger.recordFailure();
  ledger.clear();
  expect(readdirSync(dir.path)).toEqual(["state.db"]);
  expect(ledger.exhausted()).toBe(false);
  ledger.clear();
  expect(ledger.warnings).toEqual([]);
});

it("REP-04 a replaced or restored file has its whole budget again, and its first failure counts as one", () => {
  for (let pass = 0; pass < 3; pass++) ledger.recordFailure();
  writeFileSync(path, Buffer.alloc(8192, 2));
  expect(ledger.exhausted()).toBe(false);
  ledger.recordFailure();
  expect(written()).toMatchObject({ failed_attempts: 1, fingerprint: fingerprintOf(path) });
});

it("REP-04 REP-05 alternating live and offline passes count 1, 2, 3 and then block, live or not", () => {
  ledger.recordFailure();
  whileLive(() => ledger.recordFailure());
  expect(written()).toMatchObject({ failed_attempts: 2, fingerprint: fingerprintOf(path) });
  expect(ledger.exhausted()).toBe(false);
  ledger.recordFailure();
  expect(written()).toMatchObject({ failed_attempts: 3 });
  expect(ledger.exhausted()).toBe(true);
  whileLive(() => expect(ledger.exhausted()).toBe(true));
});

it("REP-05 compares sizes while the file is live: another size is another file", () => {
  for (let pass = 0; pass < 3; pass++) ledger.recordFailure();
  writeFileSync(path, Buffer.alloc(81_920, 1));
  whileLive(() => expect(ledger.exhausted()).toBe(false));
  // 8192 begins 81920: the colon belongs to the comparison.
  record({ fingerprint: `8192:${"0".repeat(32)}`, failed_attempts: 3, last_attempt: "" });
  whileLive(() => expect(ledger.exhausted()).toBe(false));
});

it("REP-04 a live first pass leaves no record: there is no key to count under", () => {
  whileLive(() => ledger.recordFailure());
  expect(readdirSync(dir.path)).not.toContain("state.db.repair-attempts.json");
});

it("REP-04 counts under the key the pass left behind", () => {
  ledger.recordFailure();
  writeFileSync(path, Buffer.alloc(12_288, 3));
  ledger.recordFailure();
  expect(written()).toMatchObject({ failed_attempts: 1, fingerprint: fingerprintOf(path) });
});

it.each([
  ["no JSON", "{", true],
  ["an empty file", "", true],
  ["a list", "[]", true],
  ["a number", "3", true],
  ["null", "null", true],
  ["a count in words", JSON.stringify({ fingerprint: "8192:0", failed_attempts: "3" }), true],
  ["a negative count", JSON.stringify({ fingerprint: "8192:0", failed_attempts: -3 }), true],
  ["a key that is no text", JSON.stringify({ fingerprint: 8192, failed_attempts: 3 }), true],
])("REP-04 fails open on a ledger that is %s, and the next failure replaces it", (_, text, warns) => {
  writeFileSync(file, text);
  expect(ledger.exhausted()).toBe(false);
  expect(ledger.warnings.length > 0).toBe(warns);
  ledger.recordFailure();
  expect(written()).toMatchObject({ failed_attempts: 1 });
});

it("REP-04 swallows every error of the ledger itself and tells of it", () => {
  mkdirSync(file);
  writeFileSync(`${file}/x`, "");
  expect(ledger.exhausted()).toBe(false);
  ledger.recordFailure();
  ledger.clear();
  expect(ledger.warnings.some((text) => text.includes("read"))).toBe(true);
  expect(ledger.warnings.some((text) => text.includes("written"))).toBe(true);
  expect(ledger.warnings.some((text) => text.includes("deleted"))).toBe(true);
  expect(readdirSync(dir.path).sort()).toEqual(["state.db", "state.db.repair-attempts.json"]);
});

it("REP-04 is not exhausted for a file that is gone", () => {
  for (let pass = 0; pass < 3; pass++) ledger.recordFailure();
  rmSync(path);
  expect(ledger.exhausted()).toBe(false);
});

it("REP-04 reads the record of a peer that failed before", () => {
  record({ last_attempt: "2026-08-01T10:00:00", failed_attempts: 3, fingerprint: fingerprintOf(path), more: 1 });
  expect(ledger.failedAttempts()).toBe(3);
  expect(ledger.exhausted()).toBe(true);
});

it("REP-04 ignores the old key of size and time, which would start the count anew on every write", () => {
  record({ fingerprint: `8192:${String(statSync(path).mtimeMs)}`, failed_attempts: 2, last_attempt: "" });
  ledger.recordFailure();
  expect(written()).toMatchObject({ failed_attempts: 1, fingerprint: fingerprintOf(path) });
});
