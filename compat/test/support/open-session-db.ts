import { isStateError } from "@hermes/state-core";
import type { StateError } from "@hermes/state-core";
import { tempHome, testClock, testRandom } from "@hermes/testkit";
import type { TestClock } from "@hermes/testkit";
import { SessionDB } from "../../src/session-db/index.js";
import type { SessionDbOptions } from "../../src/session-db/index.js";

/** A one-object store in a folder of its own, with a clock that stands still. */
export interface TestDb extends Disposable {
  readonly db: SessionDB;
  readonly clock: TestClock;
  readonly path: string;
}

export function openSessionDb(options: SessionDbOptions = {}): TestDb {
  const home = tempHome();
  const clock = testClock();
  const db = new SessionDB(home.statePath, { clock, random: testRandom(1), ...options });
  return {
    db,
    clock,
    path: home.statePath,
    [Symbol.dispose]() {
      db.close();
      home[Symbol.dispose]();
    },
  };
}

/** The code of the StateError that a call throws. */
export function codeOf(call: () => unknown): StateError["code"] | "nothing thrown" {
  try {
    call();
  } catch (error) {
    if (isStateError(error)) return error.code;
    throw error;
  }
  return "nothing thrown";
}
