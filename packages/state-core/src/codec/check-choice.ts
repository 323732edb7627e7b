/**
 * Checks that a value is one of a few words.
 *
 * @param what - The value as the caller knows it: "messages.page: order".
 * @throws TypeError that lists the words.
 */
export function checkChoice<T extends string>(what: string, value: unknown, allowed: readonly T[]): T {
  if (allowed.includes(value as T)) return value as T;
  const words = allowed.map((word) => `"${word}"`).join(", ");
  throw new TypeError(`${what} must be one of ${words}, not ${JSON.stringify(value)}.`);
}
