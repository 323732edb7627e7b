// Holds the write lock of a store from "held" on, until a line comes in: PATH
import { readSync, writeSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";

const store = openStateStore({ path: process.argv[2] });
store.write("hold the lock", () => {
  writeSync(1, "held\n");
  readSync(0, Buffer.alloc(1));
});
store.close();
