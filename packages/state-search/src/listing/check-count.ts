/**
 * Checks a number of rows that a listing was given; a listing of no rows is fine.
 *
 * @param what - The value as the caller knows it: "listCronRuns: limit".
 * @throws RangeError when it is no whole number from 0 to 10,000.
 */
export function checkCount(what: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 10_000) return value as number;
  throw new RangeError(`${what} must be a whole number from 0 to 10000, not ${String(value)}.`);
}
