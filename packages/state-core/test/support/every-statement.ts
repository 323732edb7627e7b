import { tempDir, testClock, testRandom } from "@hermes/testkit";
import type { TestClock } from "@hermes/testkit";
import { expect } from "vitest";
import { openStateStore } from "../../src/index.js";
import type { StateStore } from "../../src/index.js";
import { wrappedDriver } from "../wrapped-driver.js";
import { checkIndexes, dumpStore } from "./dump-store.js";

/** What a statement fails with: an error of our own code, and one that the engine raises. */
const FAILURES: readonly (() => Error)[] = [
  () => new Error("injected"),
  () => Object.assign(new Error("database or disk is full (injected)"), { code: "SQLITE_FULL" }),
];

const MOST_STATEMENTS = 200;

/** A write that is to be failed everywhere. */
export interface FaultCase {
  /** Lays out the state before the write. */
  lay(store: StateStore, clock: TestClock): void;
  /** The write; it is tried again and again, and at last succeeds. */
  act(store: StateStore): unknown;
}

/**
 * Fails a write at each statement of its transaction in turn, BEGIN and COMMIT among them, and expects every row of the
 * store to be as it was before; then lets it succeed.
 *
 * @returns How many statements were failed, and the store after the success; close it.
 */
export function failAtEveryStatement(fault: FaultCase): { statements: number; store: StateStore } & Disposable {
  const dir = tempDir("faults");
  const clock = testClock();
  let left = Infinity;
  let failure = FAILURES[0];
  const driver = wrappedDriver("faulty", {
    running: (sql, connection) => {
      const begins = sql === "BEGIN IMMEDIATE";
      if (sql === "ROLLBACK" || (!begins && !connection.inTransaction)) return;
      left -= 1;
      if (left === 0) throw failure?.() ?? new Error("no failure");
    },
  });
  const store = openStateStore({ path: dir.file("state.db"), clock, random: testRandom(5), driver });
  fault.lay(store, clock);
  const before = dumpStore(store);
  let statements = 0;
  for (let done = false; !done; ) {
    statements += 1;
    if (statements > MOST_STATEMENTS) throw new Error("the write has no end");
    for (failure of FAILURES) {
      left = statements;
      try {
        fault.act(store);
        done = true;
        break;
      } catch (error) {
        if (left > 0 || !(error as Error).message.includes("injected")) throw error;
      } finally {
        left = Infinity;
      }
      expect(dumpStore(store), `after a failure at statement ${String(statements)}`).toEqual(before);
    }
  }
  checkIndexes(store);
  return {
    statements: statements - 1,
    store,
    [Symbol.dispose]: () => {
      store.close();
      dir[Symbol.dispose]();
    },
  };
}
