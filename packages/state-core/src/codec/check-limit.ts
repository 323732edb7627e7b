/**
 * Checks how many rows a page may hold.
 *
 * @param what - The function as the caller knows it.
 * @throws RangeError when it is no whole number from 1 to `max`.
 */
export function checkLimit(what: string, limit: unknown, max: number): number {
  if (Number.isSafeInteger(limit) && (limit as number) >= 1 && (limit as number) <= max) return limit as number;
  throw new RangeError(`${what}: limit must be a whole number from 1 to ${String(max)}, not ${String(limit)}.`);
}
