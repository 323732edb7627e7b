/** The longest a lease may be claimed for, in seconds: a day. */
const LONGEST = 86_400;

/**
 * Checks how long something lasts.
 *
 * @param what - The value as the caller knows it.
 * @throws RangeError when it is no number above 0 and up to a day.
 */
export function checkTtl(what: string, seconds: unknown): void {
  if (typeof seconds === "number" && seconds > 0 && seconds <= LONGEST) return;
  const range = `a number of seconds above 0 and up to ${String(LONGEST)}`;
  throw new RangeError(`${what} must be ${range}, not ${String(seconds)}.`);
}
