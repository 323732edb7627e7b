// Queues usage and ends in one way or another, without ever closing the store: queue-usage.mjs PATH WAY
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { isStateError, openStateStore } from "@hermes/state-core";

const [path, way] = process.argv.slice(2);

/** A store whose variables end with this function. */
function queueAndForget(flush) {
  const store = openStateStore({ path });
  for (let n = 0; n < 10; n++) store.usage.queue("s1", { inputTokens: 1 });
  if (flush) store.usage.flush();
  return new WeakRef(store);
}

async function collect(store) {
  let collected = false;
  for (let round = 0; round < 100 && !collected; round++) {
    // Looking at it keeps it for the rest of this turn, so the collector goes first.
    await setTimeout(20);
    globalThis.gc();
    collected = store.deref() === undefined;
  }
  process.stdout.write(collected ? "collected\n" : "pinned\n");
  // The finalizer runs a turn after the collection.
  await setTimeout(50);
}

const ways = {
  end: () => queueAndForget(false),
  exit() {
    queueAndForget(false);
    process.exit(0);
  },
  throw() {
    queueAndForget(false);
    throw new Error("as planned");
  },
  collectFlushed: () => collect(queueAndForget(true)),
  collectQueued: () => collect(queueAndForget(false)),
  /** Opens, and queues only when it is told to. */
  async held() {
    const store = openStateStore({ path });
    process.stdout.write("open\n");
    await once(process.stdin, "data");
    process.stdin.destroy();
    store.usage.queue("s1", { inputTokens: 1 });
  },
  /** The hook of the store has run before this listener. */
  late() {
    const store = openStateStore({ path });
    process.on("exit", () => {
      try {
        store.usage.queue("s1", { inputTokens: 1000 });
      } catch (error) {
        process.stdout.write(`${isStateError(error) ? error.code : error}\n`);
      }
      store.usage.record("s1", { inputTokens: 5 });
    });
    store.usage.queue("s1", { inputTokens: 10 });
  },
};

await ways[way]();
