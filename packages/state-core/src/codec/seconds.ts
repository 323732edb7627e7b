import type { Clock } from "../clock/clock.js";
import { StateError } from "../errors/state-error.js";

/** First moment after the last that the file may name: the start of the year 10000, in REAL seconds. */
export const SECONDS_LIMIT = 253_402_300_800;

/** True for a moment that can be one: REAL seconds from 1970 to the year 9999. */
export function isSaneSeconds(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < SECONDS_LIMIT;
}

/**
 * SQL that is the column where it holds a sane moment, and NULL where it holds text or an absurd number: one such cell
 * must not decide an order (P28).
 */
export function saneSecondsSql(column: string): string {
  return `CASE WHEN typeof(${column}) IN ('real', 'integer') AND ${column} >= 0 AND ${column} < ${String(SECONDS_LIMIT)}
    THEN ${column} END`;
}

/**
 * Checks a moment that is about to be written.
 *
 * @param what - The value as the caller knows it: "timestampSeconds".
 * @returns The moment; negative zero becomes zero.
 * @throws StateError `STATE_E_BAD_TIMESTAMP` for what is no number or lies outside the years 1970 to 9999.
 */
export function checkSeconds(what: string, value: unknown): number {
  if (isSaneSeconds(value)) return value + 0;
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new StateError(
    "STATE_E_BAD_TIMESTAMP",
    `${what} is ${shown}, which is no moment between 1970 and 9999. Pass seconds since the epoch as a number.`,
    { what, value: typeof value === "number" ? value : shown },
  );
}

/**
 * A moment a caller may name: checked, or now when there is none.
 *
 * @throws As {@link checkSeconds}.
 */
export function momentOf(clock: Pick<Clock, "now">, what: string, seconds: unknown): number {
  return seconds === undefined ? clock.now() : checkSeconds(what, seconds);
}
