/** Seconds of a day. */
export const DAY_SECONDS = 86_400;

/**
 * Checks an age: a negative one would mean a moment in the future, which everything is older than (COR-33).
 *
 * @throws TypeError when it is no number, RangeError when it is negative or infinite.
 */
export function checkDays(what: string, days: unknown): void {
  if (typeof days !== "number") throw new TypeError(`${what} must be a number of days, not ${typeof days}.`);
  if (days >= 0 && Number.isFinite(days)) return;
  throw new RangeError(`${what} must be 0 days or more, not ${String(days)}.`);
}
