import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";

/** Ways to spoil a database file that nobody has open. Each returns its path. */
export const damage = {
  /** A file of `bytes`, instead of what was there. */
  replace(path: string, bytes: Uint8Array): string {
    writeFileSync(path, bytes);
    return path;
  },
  /** Overwrites `length` bytes from `offset` with NUL. */
  zero(path: string, offset: number, length: number): string {
    const file = openSync(path, "r+");
    try {
      writeSync(file, new Uint8Array(length), 0, length, offset);
    } finally {
      closeSync(file);
    }
    return path;
  },
  /** Cuts the file to a part of its size. */
  cut(path: string, share: number): string {
    truncateSync(path, Math.floor(statSync(path).size * share));
    return path;
  },
  /** Keeps only the first 100 bytes. */
  headerOnly(path: string): string {
    writeFileSync(path, readFileSync(path).subarray(0, 100));
    return path;
  },
} as const;
