import { setTimeout } from "node:timers/promises";
import { openStateStore } from "@hermes/state-core";
import type * as Core from "@hermes/state-core";
import { builtPackage, tempDir, testClock, testRandom } from "@hermes/testkit";
import { sqliteStorage } from "../src/index.js";
import { memoryPort } from "./memory-port.js";
import { runStorageContract } from "./storage-contract.js";

// The worker is a file of the build.
const { openStateStoreAsync } = (await import(builtPackage("state-core"))) as typeof Core;

const HANDOFF = { messages: [{ role: "user", content: "summary" }], watermark: 1_000_000, requireLease: false };

runStorageContract("a store", () => {
  const dir = tempDir("port");
  const clock = testClock();
  const store = openStateStore({ path: dir.file("state.db"), clock, random: testRandom(3) });
  return {
    port: sqliteStorage(store),
    rotate: (from, to) => {
      store.compaction.rotate(from, { id: to }, HANDOFF);
    },
    end: (id, reason) => {
      store.sessions.end(id, reason);
    },
    pass: (ms) => {
      clock.advance(ms);
    },
    async [Symbol.asyncDispose]() {
      store.close();
      dir[Symbol.dispose]();
    },
  };
});

runStorageContract("a store in a worker", async () => {
  const dir = tempDir("port");
  const store = await openStateStoreAsync({ path: dir.file("state.db") });
  return {
    port: sqliteStorage(store),
    async rotate(from, to) {
      await store.compaction.rotate(from, { id: to }, HANDOFF);
    },
    async end(id, reason) {
      await store.sessions.end(id, reason);
    },
    // The worker's clock is the machine's: what has to differ differs after a moment.
    pass: () => setTimeout(5),
    async [Symbol.asyncDispose]() {
      await store.close();
      dir[Symbol.dispose]();
    },
  };
});

runStorageContract("memory", () => {
  const clock = testClock();
  const port = memoryPort({ clock });
  return {
    port,
    rotate: port.rotate,
    end: port.end,
    pass: (ms) => {
      clock.advance(ms);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
});
