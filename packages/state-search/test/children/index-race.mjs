// Works on a store beside other processes, a bounded number of rounds: node index-race.mjs PATH WORK ROUNDS NAME
// What it did comes back as one line of JSON. It waits for a line on stdin before it begins.
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { isStateError, openStateStore } from "@hermes/state-core";
import { detachFts } from "@hermes/state-schema";
import * as search from "@hermes/state-search";

const [path, work, count, name] = process.argv.slice(2);
const rounds = Number(count);
const store = openStateStore({ path });
const done = { rounds: 0, slowestMs: 0, errors: [] };

/** What a process may meet beside others, and goes on from. */
function isExpected(error) {
  return isStateError(error) && error.code === "STATE_E_BUSY";
}

async function timed(fn) {
  const begun = performance.now();
  try {
    await fn();
    done.rounds += 1;
  } catch (error) {
    done.errors.push(isStateError(error) ? error.code : String(error));
    if (!isExpected(error)) throw error;
  } finally {
    done.slowestMs = Math.max(done.slowestMs, performance.now() - begun);
  }
}

const works = {
  append: (round) => {
    store.messages.append("old-1", { role: "user", content: `${name}${round} 并发写入 racing` });
  },
  step: () => {
    search.stepBackfill(store);
  },
  detach: () => {
    store.write("test: take the index off", detachFts);
  },
  recover: () => {
    openStateStore({ path }).close();
  },
  rebuild: async () => {
    const { ok, reason } = await search.rebuildIndexes(store, { force: true, waitMs: 10_000, pauseMs: 0 });
    done.last = { ok, reason };
    if (!ok) done.errors.push(reason);
  },
  optimize: async () => {
    const { ok, reason } = await search.optimizeStorage(store, { pauseMs: 5, force: true });
    done.last = { ok, reason };
  },
};

async function run() {
  for (let round = 0; round < rounds; round++) {
    await timed(() => works[work](round));
    await setTimeout(work === "append" ? 2 : 5);
  }
  store.close();
  process.stdout.write(`${JSON.stringify(done)}\n`);
}

process.stdout.write("ready\n");
createInterface({ input: process.stdin }).once("line", () => {
  void run().then(() => process.exit(0));
});
