import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { openMaintenanceConnection } from "@hermes/state-core";
import { tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { fingerprintOf } from "./fingerprint.js";

const SHAPE = /^\d+:[0-9a-f]{32}$/;

/** Bytes that differ from place to place, so that a lost or moved sample shows. */
function pattern(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff));
}

function poke(path: string, offset: number, value = 0xee): void {
  const file = openSync(path, "r+");
  writeSync(file, Uint8Array.of(value), 0, 1, offset);
  closeSync(file);
}

function made(length: number): Disposable & { path: string; key: () => string | null } {
  const dir = tempDir("fingerprint");
  const path = dir.file("state.db");
  writeFileSync(path, pattern(length));
  return { path, key: () => fingerprintOf(path), [Symbol.dispose]: () => dir[Symbol.dispose]() };
}

it("REP-05 is the size and 32 hex digits over the masked head and the tail", () => {
  using file = made(200_000);
  const bytes = pattern(200_000);
  const head = Buffer.from(bytes.subarray(0, 65_536));
  head.fill(0, 24, 28);
  head.fill(0, 92, 96);
  const digest = createHash("sha256").update(head).update(bytes.subarray(-65_536)).digest("hex");
  expect(file.key()).toBe(`200000:${digest.slice(0, 32)}`);
});

it("REP-05 does not look at times: a touch keeps the key", () => {
  using file = made(200_000);
  const before = file.key();
  utimesSync(file.path, 1, 2);
  expect(file.key()).toBe(before);
});

it.each([24, 25, 26, 27, 92, 93, 94, 95])("REP-05 masks byte %d, which a commit in DELETE mode moves", (offset) => {
  using file = made(200_000);
  const before = file.key();
  poke(file.path, offset);
  expect(file.key()).toBe(before);
});

it.each([0, 23, 28, 30, 91, 96, 100, 65_535, 200_000 - 65_536, 199_999])(
  "REP-05 sees a change of byte %d",
  (offset) => {
    using file = made(200_000);
    const before = file.key();
    poke(file.path, offset);
    expect(file.key()).toMatch(SHAPE);
    expect(file.key()).not.toBe(before);
  },
);

it.each([65_536, 100_000, 200_000 - 65_537])("REP-05 does not see byte %d of an inner page", (offset) => {
  using file = made(200_000);
  const before = file.key();
  poke(file.path, offset);
  expect(file.key()).toBe(before);
});

it("REP-05 moves with a page more, a page less and a restored file", () => {
  using file = made(200_000);
  const keys = [file.key()];
  appendFileSync(file.path, Buffer.alloc(4096));
  keys.push(file.key());
  truncateSync(file.path, 196_000);
  keys.push(file.key());
  writeFileSync(file.path, Buffer.alloc(200_000, 7));
  keys.push(file.key());
  expect(new Set(keys).size).toBe(4);
});

it.each([0, 1, 95])("REP-05 masks nothing in a file of %d bytes, which has no header", (length) => {
  using file = made(length);
  const whole = createHash("sha256").update(pattern(length)).digest("hex");
  expect(file.key()).toBe(`${String(length)}:${whole.slice(0, 32)}`);
});

it("REP-05 masks both ranges from 96 bytes on", () => {
  using file = made(96);
  const before = file.key();
  poke(file.path, 95);
  poke(file.path, 24);
  expect(file.key()).toBe(before);
});

it("REP-05 takes a file of exactly 65,536 bytes as its head alone, and one byte more has a tail", () => {
  using exact = made(65_536);
  const head = pattern(65_536);
  head.fill(0, 24, 28);
  head.fill(0, 92, 96);
  expect(exact.key()).toBe(`65536:${createHash("sha256").update(head).digest("hex").slice(0, 32)}`);
  using more = made(65_537);
  const before = more.key();
  poke(more.path, 65_536);
  expect(more.key()).not.toBe(before);
});

it("REP-05 COR-07 has no key while this process has the file open, nor when it cannot be read", () => {
  using dir = tempDir("fingerprint");
  const path = dir.file("state.db");
  writeFileSync(path, "");
  const connection = openMaintenanceConnection(path);
  expect(fingerprintOf(path)).toBeNull();
  connection.close();
  expect(fingerprintOf(path)).toMatch(SHAPE);
  expect(fingerprintOf(dir.path)).toBeNull();
  rmSync(path);
  expect(fingerprintOf(path)).toBeNull();
});

it("REP-05 keeps the key over ordinary commits in DELETE mode, and moves with VACUUM and REINDEX of the schema", () => {
  using dir = tempDir("fingerprint");
  const path = dir.file("state.db");
  writeFileSync(path, "");
  const work = (...statements: string[]): void => {
    const connection = openMaintenanceConnection(path);
    for (const sql of statements) connection.exec(sql);
    connection.close();
  };
  work("PRAGMA journal_mode=DELETE", "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)");
  work(
    "INSERT INTO t SELECT value, hex(randomblob(800)) FROM generate_series(1, 400)".replace(
      "generate_series(1, 400)",
      "(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 400) SELECT value FROM n)",
    ),
  );
  const before = fingerprintOf(path);
  const counters = readFileSync(path).subarray(24, 28).toString("hex");
  // An inner leaf: rows in the middle, rewritten in their length.
  work("UPDATE t SET body = lower(body) WHERE id = 200");
  expect(readFileSync(path).subarray(24, 28).toString("hex")).not.toBe(counters);
  expect(fingerprintOf(path)).toBe(before);
  work("CREATE INDEX by_body ON t (body)");
  const indexed = fingerprintOf(path);
  expect(indexed).not.toBe(before);
  work("DELETE FROM t WHERE id % 2 = 0", "VACUUM");
  expect(fingerprintOf(path)).not.toBe(indexed);
});
