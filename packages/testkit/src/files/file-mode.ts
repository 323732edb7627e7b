import { lstatSync } from "node:fs";

/** Permission bits of a path, as in `0o600`; of a symlink itself, not of its target. */
export function fileMode(path: string): number {
  return lstatSync(path).mode & 0o777;
}

/**
 * Runs `fn` under a umask and restores the old one.
 *
 * @param mask - Bits that new files lack, such as `0o022`.
 */
export function withUmask<T>(mask: number, fn: () => T): T {
  const before = process.umask(mask);
  try {
    return fn();
  } finally {
    process.umask(before);
  }
}
