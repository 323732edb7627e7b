import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { openOfflineScope } from "@hermes/state-core";

const SAMPLE_BYTES = 65_536;
const HEX_DIGITS = 32;

/** Counters that every commit moves in DELETE mode: half-open byte ranges of the database header. */
const MASKED: readonly (readonly [number, number])[] = [
  [24, 28],
  [92, 96],
];
const MASKED_FROM_BYTES = 96;

function sample(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(descriptor, bytes, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

function digestOf(descriptor: number): string {
  const { size } = fstatSync(descriptor);
  const head = sample(descriptor, 0, Math.min(size, SAMPLE_BYTES));
  if (head.length >= MASKED_FROM_BYTES) for (const [from, to] of MASKED) head.fill(0, from, to);
  const hash = createHash("sha256").update(head);
  if (size > SAMPLE_BYTES) hash.update(sample(descriptor, size - SAMPLE_BYTES, SAMPLE_BYTES));
  return `${String(size)}:${hash.digest("hex").slice(0, HEX_DIGITS)}`;
}

/**
 * The key by which repair attempts on one damaged file are counted: its size and a digest of its head and tail. A
 * touch, an ordinary commit in DELETE mode and an inner page leave it as it is; a rewrite, a cut and a restore do not.
 * Another shape of key would start the count anew, so there is none.
 *
 * @param path - The database file.
 * @returns `"<size>:<32 hex>"`, or null when this process has the file open or cannot read it. Source of the rule:
 * REP-05.
 */
export function fingerprintOf(path: string): string | null {
  try {
    using scope = openOfflineScope(path);
    const descriptor = openSync(scope.path, "r");
    try {
      return digestOf(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Live or unreadable: the caller compares sizes instead, and its count still advances.
    return null;
  }
}
