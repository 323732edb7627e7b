import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { inspectHeader } from "./inspect-header.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-header-"));
  file = join(folder, "state.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A header as SQLite writes it: `pages` pages of 4096 bytes, valid for change counter 7. */
function header(pages: number): Buffer {
  const bytes = Buffer.alloc(4096);
  bytes.write("SQLite format 3\0", "latin1");
  bytes.writeUInt16BE(4096, 16);
  bytes.writeUInt32BE(7, 24);
  bytes.writeUInt32BE(pages, 28);
  bytes.writeUInt32BE(7, 92);
  return bytes;
}

it.each([
  ["missing", undefined, "missing"],
  ["a 0-byte file", Buffer.alloc(0), "empty"],
  ["100 random-looking bytes", Buffer.from("not a database at all".repeat(5)), "foreign"],
  ["a zeroed first page", Buffer.alloc(4096), "zeroed"],
  ["5 bytes", Buffer.from("SQLit"), "foreign"],
  ["one page of one", header(1), "database"],
  ["one page of ten", header(10), "truncated"],
])("REP-10 P04 judges %s", (_, bytes, kind) => {
  if (bytes) writeFileSync(file, bytes);
  expect(inspectHeader(file).kind).toBe(kind);
});

it("REP-10 does not call a short file truncated while a log or a journal may hold the rest", () => {
  writeFileSync(file, header(10));
  writeFileSync(`${file}-wal`, "x");
  expect(inspectHeader(file).kind).toBe("database");
});

it("REP-10 P22 an empty file beside a log with pages has lost its main, unless the log is none", () => {
  writeFileSync(file, "");
  const log = Buffer.alloc(5000);
  log.writeUInt32BE(0x377f0683);
  writeFileSync(`${file}-wal`, log);
  expect(inspectHeader(file).kind).toBe("truncated");
  writeFileSync(`${file}-wal`, log.subarray(0, 32));
  expect(inspectHeader(file).kind).toBe("empty");
  writeFileSync(`${file}-wal`, Buffer.alloc(5000, 7));
  expect(inspectHeader(file).kind).toBe("empty");
});

it("REP-10 does not trust a page count that an older writer left behind", () => {
  const bytes = header(10);
  bytes.writeUInt32BE(8, 24);
  writeFileSync(file, bytes);
  expect(inspectHeader(file).kind).toBe("database");
});
