/**
 * A flag that may be left out.
 *
 * @throws TypeError for what is neither true, false, null nor undefined.
 */
export function flagOf(what: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw new TypeError(`${what} must be true or false, not ${typeof value}.`);
}
