import { tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { startWorker } from "./worker.js";

const ROUNDS = 8;
const WRITES = 200;

it("COR-11 GND-03 two writers that begin on a fresh log never take each other's checkpoints for another file", async () => {
  await using one = await startWorker();
  await using two = await startWorker();
  for (let round = 0; round < ROUNDS; round++) {
    using dir = tempDir("begin");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s", source: "test" });
    }
    // Both are open before either writes: the log is as fresh to the one as to the other.
    await Promise.all([one, two].map((worker) => worker.call("open", { path })));
    const ids = await Promise.all(
      [one, two].map((worker) => worker.call<number[]>("appendMany", { sessionId: "s", count: WRITES, prefix: "row" })),
    );
    await Promise.all([one, two].map((worker) => worker.call("close")));
    expect(new Set(ids.flat()).size).toBe(2 * WRITES);
    using store = openStateStore({ path });
    expect(store.messages.count("s")).toBe(2 * WRITES);
  }
}, 120_000);
