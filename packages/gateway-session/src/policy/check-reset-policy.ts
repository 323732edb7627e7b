import { checkKnownOptions, StateError } from "@hermes/state-core";
import { DEFAULT_RESET_POLICY } from "./reset-policy.js";
import type { ResetPolicy } from "./reset-policy.js";

type Rule = readonly [holds: (value: unknown) => boolean, expected: string];

const MODES: readonly unknown[] = ["none", "idle", "daily", "both"];
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

const RULES: { readonly [Field in keyof ResetPolicy]: Rule } = {
  mode: [(value) => MODES.includes(value), "none, idle, daily or both"],
  atHour: [(value) => Number.isInteger(value) && isNumber(value) && value >= 0 && value <= 23, "a whole hour, 0 to 23"],
  idleMinutes: [(value) => isNumber(value) && value > 0, "a number of minutes above 0"],
  notify: [(value) => typeof value === "boolean", "true or false"],
  notifyExclude: [
    (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
    "a list of platform names",
  ],
  backgroundMaxAgeHours: [(value) => isNumber(value) && value >= 0, "a number of hours, 0 or more"],
  resumeFreshnessSeconds: [isNumber, "a number of seconds"],
};

const FIELDS = Object.keys(RULES) as (keyof ResetPolicy)[];

/** The value as a person would look for it in a configuration. */
function shown(value: unknown): string {
  if (typeof value === "string" || (typeof value === "object" && value !== null)) return JSON.stringify(value);
  return String(value);
}

/**
 * Completes a policy and checks every value of it.
 *
 * @param what - Where the policy stands, as its owner knows it: "byPlatform.telegram".
 * @param given - What it says; what is absent or undefined gets its default.
 * @throws TypeError for a setting that does not exist.
 * @throws StateError `STATE_E_BAD_RESET_POLICY` that names the setting and its value.
 */
export function checkResetPolicy(what: string, given: Partial<ResetPolicy>): ResetPolicy {
  checkKnownOptions(`reset policy ${what}`, given, FIELDS);
  for (const field of FIELDS) {
    const value: unknown = given[field];
    const [holds, expected] = RULES[field];
    if (value === undefined || holds(value)) continue;
    throw new StateError(
      "STATE_E_BAD_RESET_POLICY",
      `The reset policy ${what} has ${field} ${shown(value)}, which is not ${expected}. Correct that setting.`,
      { policy: what, field, value: shown(value) },
    );
  }
  const set = Object.entries<unknown>({ ...given }).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_RESET_POLICY, ...(Object.fromEntries(set) as Partial<ResetPolicy>) };
}
