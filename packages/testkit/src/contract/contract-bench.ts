import type { ContractStore, StoreHarness } from "./store-port.js";
import { type TempHome, tempHome } from "../temp/temp-home.js";

/** One store under test in a home of its own. */
export interface ContractBench {
  readonly home: TempHome;
  /** The store under test; opened anew by {@link ContractBench.reopen}. */
  store: ContractStore;
  reopen(): Promise<void>;
  /** A second store on the same file. */
  openAnother(): Promise<ContractStore>;
}

/** Opens a store in a new home. */
export async function openBench(harness: StoreHarness): Promise<ContractBench> {
  const home = tempHome();
  const bench: ContractBench = {
    home,
    store: await harness.open(home.statePath),
    reopen: async () => {
      await bench.store.close();
      bench.store = await harness.open(home.statePath);
    },
    openAnother: async () => harness.open(home.statePath),
  };
  return bench;
}

/** The code that a call is refused with, whether it throws or rejects. */
export async function refusalOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return "no error";
}
