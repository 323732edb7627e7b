import { isSaneSeconds } from "@hermes/state-core";

/**
 * A moment of the file as ISO-8601 UTC text.
 *
 * @param seconds - A cell that should hold REAL seconds.
 * @returns Undefined for a cell that holds no moment (P28).
 */
export function isoTime(seconds: unknown): string | undefined {
  return isSaneSeconds(seconds) ? new Date(seconds * 1000).toISOString() : undefined;
}
