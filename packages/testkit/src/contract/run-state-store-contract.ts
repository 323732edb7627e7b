import { afterEach, beforeEach, describe } from "vitest";
import { appendContract } from "./append-contract.js";
import { closeContract } from "./close-contract.js";
import { type ContractBench, openBench } from "./contract-bench.js";
import { orderContract } from "./order-contract.js";
import { sessionContract } from "./session-contract.js";
import type { StoreHarness } from "./store-port.js";

/**
 * Registers the tests that every state store must pass: create, append, read, order, counters, idempotency, close.
 *
 * @param name - Of the implementation; it becomes the title.
 * @param harness - Opens it. Synchronous and asynchronous stores are both served.
 */
export function runStateStoreContract(name: string, harness: StoreHarness): void {
  describe(`state store contract: ${name}`, () => {
    let bench: ContractBench | undefined;
    beforeEach(async () => {
      bench = await openBench(harness);
    });
    afterEach(async () => {
      await bench?.store.close();
      bench?.home[Symbol.dispose]();
      bench = undefined;
    });
    const current = (): ContractBench => {
      if (bench === undefined) throw new Error("no store is open outside a test");
      return bench;
    };
    sessionContract(current);
    appendContract(current);
    orderContract(current);
    closeContract(current);
  });
}
