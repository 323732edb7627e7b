// Holds a write transaction of one store, opens and closes other stores on the same file when told to, then commits.
import { Buffer } from "node:buffer";
import { relative } from "node:path";
import { readSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";

/** Waits for a line on stdin without leaving the transaction's callback. */
function waitForLine() {
  const byte = Buffer.alloc(1);
  for (;;) {
    try {
      if (readSync(0, byte, 0, 1, null) === 0 || byte[0] === 10) return;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

const path = process.argv[2];
const store = openStateStore({ path });
store.write("hold the lock", (w) => {
  w.run("INSERT INTO state_meta (key, value) VALUES ('held', '1')");
  process.stdout.write("holding\n");
  waitForLine();
  for (const spelling of [path, relative(process.cwd(), path)]) {
    const reader = openStateStore({ path: spelling, mode: "read" });
    reader.info();
    reader.close();
    try {
      openStateStore({ path: spelling, patience: { routine: 50 } }).close();
    } catch {
      // The lock is held by this very process: busy is the right answer of a second writer.
    }
  }
  process.stdout.write("reopened\n");
  waitForLine();
});
process.stdout.write("committed\n");
store.close();
waitForLine();
