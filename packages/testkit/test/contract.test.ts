import { runStateStoreContract } from "../src/index.js";
import { type Fault, memoryStore } from "./memory-store.js";

// contract-fails.test.ts runs this file again with a fault.
const fault = process.env["CONTRACT_FAULT"] as Fault | undefined;

runStateStoreContract("in memory, asynchronous", { open: (path) => Promise.resolve(memoryStore(path, fault)) });
