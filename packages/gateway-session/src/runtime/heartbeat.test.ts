import { setTimeout as sleep } from "node:timers/promises";
import { openStateStore } from "@hermes/state-core";
import { tempDir, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { sqliteStorage } from "../sqlite/sqlite-storage.js";
import { listGateways, startHeartbeat } from "./heartbeat.js";

const backend = { backendId: "a", pid: 7, startedAtSeconds: 1000 };

it("GWS-10 a gateway that says nothing for three intervals counts as gone, one that ends is not listed", async () => {
  using dir = tempDir();
  const clock = testClock(1000);
  using store = openStateStore({ path: dir.file("state.db"), clock });
  const port = sqliteStorage(store);
  const first = await startHeartbeat(port, backend);
  clock.advance(60_000);
  const second = await startHeartbeat(port, { ...backend, backendId: "b" });
  clock.advance(30_000);
  const seen = async (): Promise<unknown[]> =>
    (await listGateways(port, { clock })).map(({ backendId, ageSeconds, stale }) => [backendId, ageSeconds, stale]);
  expect(await seen()).toEqual([
    ["b", 30, false],
    ["a", 90, false],
  ]);
  clock.advance(1000);
  expect((await seen())[1]).toEqual(["a", 91, true]);
  expect(await second.stop()).toBe(true);
  expect(await seen()).toEqual([["a", 91, true]]);
  clock.set(900);
  expect(await seen()).toEqual([["a", -100, false]]);
  expect([await first.stop(), await first.stop()]).toEqual([true, false]);
  expect(await seen()).toEqual([]);
});

it("GWS-10 a storage that fails or takes its time ends no heartbeat", async () => {
  const errors: unknown[] = [];
  let beats = 0;
  const port = {
    beat: async () => {
      beats += 1;
      if (beats === 1) throw new Error("busy");
      await sleep(30);
    },
    endBeat: () => Promise.reject(new Error("gone")),
  };
  const heartbeat = await startHeartbeat(port, backend, { intervalMs: 5, onError: (error) => errors.push(error) });
  expect(errors).toHaveLength(1);
  const deadline = performance.now() + 5000;
  while (beats < 3 && performance.now() < deadline) await sleep(5);
  expect(await heartbeat.stop()).toBe(false);
  const stopped = beats;
  expect(stopped).toBeGreaterThanOrEqual(3);
  await sleep(30);
  expect(beats).toBe(stopped);
  expect(errors).toHaveLength(2);
});

it("GWS-10 misuse is refused", async () => {
  const port = { beat: async () => undefined, endBeat: async () => true, heartbeats: async () => [] };
  await expect(startHeartbeat(port, backend, { intervalMs: 0 })).rejects.toThrow(RangeError);
  await expect(startHeartbeat(port, backend, { interval: 5 } as never)).rejects.toThrow(TypeError);
  await expect(listGateways(port, { staleSeconds: 5 } as never)).rejects.toThrow(TypeError);
});
