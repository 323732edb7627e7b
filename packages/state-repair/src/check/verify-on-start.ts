import { statSync } from "node:fs";
import { checkKnownOptions } from "@hermes/state-core";
import { checkStore } from "./check-store.js";
import type { CheckOptions } from "./check-store.js";
import type { CheckReport } from "./check-report.js";

/** Above this a verification that nobody asked for must not take time in proportion to the file. */
const QUICK_LIMIT_BYTES = 2 * 1024 * 1024 * 1024;

/** How to verify. */
export interface VerifyOptions extends Omit<CheckOptions, "level"> {
  /** Files above this size get a glance. Default 2 GiB. */
  readonly quickLimitBytes?: number;
}

const OPTION_NAMES = ["quickLimitBytes", "clock", "onProgress", "signal"] as const;

/**
 * Looks a store over before it is used, without being asked: quickly up to 2 GiB, and in constant time above (REP-01).
 * The level of the answer says which it was.
 *
 * @throws as {@link checkStore}
 */
export async function verifyOnStart(path: string, options: VerifyOptions = {}): Promise<CheckReport> {
  checkKnownOptions("verifyOnStart", options, OPTION_NAMES);
  const { quickLimitBytes = QUICK_LIMIT_BYTES, ...rest } = options;
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return await checkStore(path, { ...rest, level: bytes > quickLimitBytes ? "glance" : "quick" });
}
