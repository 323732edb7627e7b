import { checkKnownOptions } from "../config/check-known-options.js";
import { SESSION_FLAGS } from "../sessions/flags/set-flag.js";
import type { SessionFlag } from "../sessions/flags/set-flag.js";

/**
 * Checks flags that are to be set.
 *
 * @returns Each with its value, in the order they were given.
 * @throws TypeError.
 */
export function checkFlags(
  what: string,
  flags: Partial<Readonly<Record<SessionFlag, boolean>>> = {},
): readonly (readonly [SessionFlag, boolean])[] {
  checkKnownOptions(`${what}: flags`, flags, SESSION_FLAGS);
  return Object.entries(flags).map(([flag, value]) => {
    if (typeof value !== "boolean") throw new TypeError(`${what}: the flag ${flag} must be true or false.`);
    return [flag as SessionFlag, value];
  });
}
