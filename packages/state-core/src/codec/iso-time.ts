import { isSaneSeconds } from "./seconds.js";

/**
 * A moment of the file as ISO-8601 UTC text, for people and scripts.
 *
 * @param seconds - What should be REAL seconds since the epoch; any cell may be asked about.
 * @returns Undefined for what is no moment between 1970 and 9999 (P28).
 * @example
 * ```ts
 * isoTime(1_770_000_000.25); // "2026-02-02T02:40:00.250Z"
 * ```
 */
export function isoTime(seconds: unknown): string | undefined {
  return isSaneSeconds(seconds) ? new Date(seconds * 1000).toISOString() : undefined;
}
