import { tempDir, testClock, testRandom } from "@hermes/testkit";
import type { TestClock } from "@hermes/testkit";
import { isStateError, openStateStore } from "../../src/index.js";
import type { StateError, StateErrorCode, StateStore } from "../../src/index.js";

/** A store in a folder of its own, with a clock that stands still; everything vanishes with the scope. */
export interface TestStore extends Disposable {
  readonly store: StateStore;
  readonly clock: TestClock;
  readonly path: string;
}

/**
 * Opens a fresh store.
 *
 * @param name - File name below the folder; folders in it are not created.
 */
export function openTestStore(name = "state.db"): TestStore {
  const dir = tempDir("store");
  const clock = testClock();
  const path = dir.file(name);
  const store = openStateStore({ path, clock, random: testRandom(7) });
  return {
    store,
    clock,
    path,
    [Symbol.dispose]: () => {
      store.close();
      dir[Symbol.dispose]();
    },
  };
}

/** The typed error a call fails with; anything else it throws passes on, and not throwing is an error. */
export function stateErrorOf(call: () => unknown): StateError & { code: StateErrorCode } {
  try {
    call();
  } catch (error) {
    if (isStateError(error)) return error;
    throw error;
  }
  throw new Error("the call did not throw");
}

/** Runs bare SQL in a write transaction, to lay out what no method would. */
export function sql(store: StateStore, text: string, ...params: (string | number | null)[]): void {
  store.write("test", (w) => w.run(text, params));
}
