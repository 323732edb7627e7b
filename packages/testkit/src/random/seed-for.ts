import { randomInt } from "node:crypto";
import { testEnvironment } from "../config/environment.js";

/**
 * The seed of a random test: `HERMES_TEST_SEED`, or a new one. It is printed, so that a red run can be repeated.
 *
 * @param test - Title to print beside the seed.
 */
export function seedFor(test: string): number {
  const seed = testEnvironment().seed ?? randomInt(2 ** 32);
  process.stderr.write(`seed of "${test}": HERMES_TEST_SEED=${String(seed)}\n`);
  return seed;
}
