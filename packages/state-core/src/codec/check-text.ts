/**
 * Checks that a value is text that names something.
 *
 * @param what - The value as the caller knows it: "leases.acquire: holder".
 * @throws TypeError when it is no string, or an empty one.
 */
export function checkText(what: string, value: unknown): void {
  if (typeof value !== "string" || value === "") throw new TypeError(`${what} must be a non-empty string.`);
}
