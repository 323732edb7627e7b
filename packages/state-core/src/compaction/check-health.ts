import { checkSeconds } from "../codec/seconds.js";
import { checkKnownOptions } from "../config/check-known-options.js";
import { COMPACTION_COUNTERS } from "./compaction-health.js";
import type { CompactionHealth } from "./compaction-health.js";

const MOMENTS = ["cooldownUntilSeconds", "recoveryDeadlineSeconds"] as const;

/**
 * Checks the fields of a session's health that are about to be written.
 *
 * @param what - The function as the caller knows it.
 * @throws TypeError for an unknown field or a wrong type. StateError `STATE_E_BAD_TIMESTAMP`.
 */
export function checkHealth(what: string, health: Partial<CompactionHealth>): void {
  checkKnownOptions(what, health, [...MOMENTS, ...COMPACTION_COUNTERS, "failure"]);
  for (const key of MOMENTS) {
    const moment = health[key] ?? null;
    if (moment !== null) checkSeconds(`${what}: ${key}`, moment);
  }
  for (const key of COMPACTION_COUNTERS) {
    const count = health[key] ?? 0;
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new TypeError(`${what}: ${key} must be a whole number from 0, not ${String(count)}.`);
    }
  }
  const failure: unknown = health.failure ?? null;
  if (failure !== null && typeof failure !== "string") throw new TypeError(`${what}: failure must be text or null.`);
}
