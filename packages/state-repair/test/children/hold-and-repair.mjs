// Holds a write transaction of a store, tries every step of a repair on the same file when told to ("product") or reads
// the file raw ("raw"), then commits. Prints what each step answered.
import { Buffer } from "node:buffer";
import { readFileSync, readSync } from "node:fs";
import { openStateStore, systemClock } from "@hermes/state-core";
import { checkRepairBudget, findLiveWriter, fingerprintOf, openLedger, takeForensicBundle } from "@hermes/state-repair";

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

const [path, how] = [process.argv[2], process.argv[3]];
const answers = {};
let bundle;

function throughTheProduct() {
  const ledger = openLedger(path, systemClock);
  answers.fingerprint = fingerprintOf(path);
  ledger.recordFailure();
  answers.exhausted = ledger.exhausted();
  answers.refusal = checkRepairBudget(path, ledger, { backup: true })?.code ?? null;
  answers.writer = findLiveWriter(path)?.via ?? null;
  // Whether it may read the file is settled before it first waits for anything.
  bundle = takeForensicBundle(path, { clock: systemClock });
}

const store = openStateStore({ path });
try {
  store.write("hold the lock", (w) => {
    w.run("INSERT INTO state_meta (key, value) VALUES ('held', '1')");
    process.stdout.write("holding\n");
    waitForLine();
    if (how === "raw") readFileSync(path);
    else throughTheProduct();
    process.stdout.write("tried\n");
    waitForLine();
  });
  answers.committed = true;
} catch (error) {
  answers.committed = error.code;
}
store.close();
if (bundle) answers.bundle = (await bundle).reason;
process.stdout.write(`${JSON.stringify(answers)}\n`);
