import { formatBytes } from "./format-bytes.js";

/** What became of a size, for people: `12.0 MiB, 3.1 MiB less than before`. */
export function sizeChange(before: number, after: number): string {
  const now = formatBytes(after);
  if (after === before) return `${now}, as before`;
  return after < before
    ? `${now}, ${formatBytes(before - after)} less than before`
    : `${now}, grew by ${formatBytes(after - before)}`;
}
