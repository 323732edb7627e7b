import { closeSync, openSync, readSync, statSync } from "node:fs";

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const LOG_HEADER_BYTES = 32;
/** A log of the engine begins so; the last bit tells the order of its checksum's bytes. */
const LOG_MAGIC = Buffer.from("377f0682", "hex");

/**
 * What the first bytes of a file say before SQLite opens it.
 *
 * - `missing` and `empty` (0 bytes) become a new store;
 * - `database` is one, as far as its header tells;
 * - `zeroed`, `foreign` and `truncated` are refused and left as they are (REP-10).
 */
export type HeaderKind = "missing" | "empty" | "database" | "zeroed" | "foreign" | "truncated";

/** The verdict, with the sizes it rests on. */
export interface HeaderReport {
  readonly kind: HeaderKind;
  readonly bytes: number;
  /** What the header says the file should at least hold; only for `truncated`. */
  readonly expectedBytes?: number;
}

function readHead(path: string, length = HEADER_BYTES): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(length);
    return head.subarray(0, readSync(descriptor, head, 0, length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** A log or journal may still hold the missing pages, so a short main file proves nothing beside one. */
function hasPendingLog(path: string): boolean {
  return ["-wal", "-journal"].some((suffix) => (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/**
 * A log has frames only after its main file got a first page, so an empty file beside one has lost everything the log
 * builds upon, and the engine would delete the log. Looked at again, since somebody may just be creating both.
 */
function hasLostItsMain(path: string): boolean {
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= LOG_HEADER_BYTES) return false;
  const head = readHead(log, LOG_MAGIC.length);
  const isLog = head.length === LOG_MAGIC.length && (head.readUInt32BE() & ~1) === LOG_MAGIC.readUInt32BE();
  return isLog && statSync(path, { throwIfNoEntry: false })?.size === 0;
}

/** Bytes the header promises, or 0 where its page count is not valid (an older writer changed the file without it). */
function promisedBytes(head: Buffer): number {
  if (head.length < HEADER_BYTES || head.readUInt32BE(24) !== head.readUInt32BE(92)) return 0;
  const stored = head.readUInt16BE(16);
  return (stored === 1 ? 65_536 : stored) * head.readUInt32BE(28);
}

/**
 * Judges a file by its header, without SQLite. Opens a descriptor, so it runs inside an offline scope only (COR-07).
 *
 * @param path - The database file.
 */
export function inspectHeader(path: string): HeaderReport {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { kind: "missing", bytes: 0 };
  if (size === 0) return { kind: hasLostItsMain(path) ? "truncated" : "empty", bytes: 0 };
  const head = readHead(path);
  if (head.every((byte) => byte === 0)) return { kind: "zeroed", bytes: size };
  if (head.subarray(0, MAGIC.length).toString("latin1") !== MAGIC) return { kind: "foreign", bytes: size };
  const expectedBytes = promisedBytes(head);
  // The size is read after the header: a live writer only makes the file longer than an older header says.
  const bytes = statSync(path).size;
  if (bytes < expectedBytes && !hasPendingLog(path)) return { kind: "truncated", bytes, expectedBytes };
  return { kind: "database", bytes };
}
