// Rebuilds the indexes of a store again and again beside others: node rebuild-loop.mjs PATH ROUNDS
// Each line of standard output is the report of one rebuild; a line on standard input begins the work.
import { createInterface } from "node:readline";
import { openStateStore } from "@hermes/state-core";
import { rebuildIndexes } from "@hermes/state-search";

const [path, rounds] = process.argv.slice(2);
const store = openStateStore({ path });
process.stdout.write("ready\n");

createInterface({ input: process.stdin }).once("line", async () => {
  for (let round = 0; round < Number(rounds); round++) {
    const { ok, reason, pending } = await rebuildIndexes(store, { force: true, waitMs: 60_000, pauseMs: 0 });
    process.stdout.write(`${JSON.stringify({ ok, reason, pending })}\n`);
  }
  store.close();
  process.exit(0);
});
