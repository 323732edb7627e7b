import { runCrashMatrix, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";
import { checkIndexes, dumpStore, wrongCounters } from "./support/dump-store.js";
import { childScript, startWorker } from "./worker.js";

const KEY = "agent:main:telegram:dm:c1";
const PEER = { source: "telegram", sessionKey: KEY, userId: "u1", chatId: "c1", chatType: "dm" };

/** A peer that talks in s1, with an older key and an older session. */
function lay(store: StateStore): void {
  for (const id of ["s0", "s1"]) {
    store.sessions.create({ ...PEER, id, ...(id === "s1" && { title: "Trip" }) });
    store.messages.append(id, { role: "user", content: `from ${id}` });
  }
  store.sessions.end("s0", "user_exit");
  for (const key of [KEY, "old"]) store.routing.save("", key, { session_id: "s1" });
}

function summaryOf(store: StateStore): unknown {
  return {
    routes: store.routing.load("").map(({ sessionKey, entry }) => [sessionKey, entry?.["session_id"]]),
    ends: ["s0", "s1"].map((id) => store.sessions.get(id).endReason),
    made: store.sessions.find("s2")?.title,
    generation: store.routing.generation("telegram", KEY),
  };
}

describe("steps of a route in several processes", () => {
  it("GWS-02 GWS-10 a process killed inside a step leaves all of it or nothing", async () => {
    using dir = tempDir("route-killed");
    const pristine = dir.file("pristine.db");
    let before: unknown;
    {
      using store = openStateStore({ path: pristine });
      lay(store);
      store.retention.vacuum();
      before = dumpStore(store);
    }
    const whole = { routes: [[KEY, "s2"]], ends: [null, "session_reset"], made: "Trip #2", generation: 1 };
    let none = 0;
    const report = await runCrashMatrix({
      pristine,
      script: childScript("move-route.mjs"),
      most: 12,
      verify(path, context) {
        using store = openStateStore({ path });
        const { made } = summaryOf(store) as { made?: string };
        if (made === undefined) {
          none += 1;
          expect(dumpStore(store), context).toEqual(before);
        } else expect(summaryOf(store), context).toEqual(whole);
        expect(wrongCounters(store), context).toEqual([]);
        checkIndexes(store);
      },
    });
    expect(report.points).toBeGreaterThanOrEqual(10);
    // Before the commit there is nothing, behind it there is everything.
    expect(none).toBeGreaterThanOrEqual(report.points - 2);
    expect(none).toBeLessThan(report.points);
  }, 120_000);

  it("GWS-02 GWS-10 P18 of two that expect the same entry one is taken", async () => {
    using dir = tempDir("route-race");
    const path = dir.file("state.db");
    const count = 60;
    {
      using store = openStateStore({ path });
      store.sessions.create({ ...PEER, id: "root" });
      store.routing.save("", KEY, { session_id: "root" });
    }
    const names = ["a", "b"];
    await using a = await startWorker(60_000, "route-worker.mjs");
    await using b = await startWorker(60_000, "route-worker.mjs");
    await Promise.all([a, b].map((worker) => worker.call("open", { path })));
    const refused = await Promise.all(
      [a, b].map((worker, n) => worker.call<number>("resetMany", { name: names[n], count })),
    );
    // They met: what one had read the other had moved.
    expect(refused[0]! + refused[1]!).toBeGreaterThan(0);
    using store = openStateStore({ path });
    const sessions = store.routing.sessionsOfKey(KEY, 1_000);
    expect(sessions).toHaveLength(1 + names.length * count);
    // Nobody was left twice, and nobody was forgotten.
    const parents = sessions.map(({ parentSessionId }) => parentSessionId);
    expect(new Set(parents).size).toBe(sessions.length);
    const live = sessions.filter(({ endReason }) => endReason === null).map(({ id }) => id);
    expect(live).toEqual([store.routing.find("", KEY)?.entry?.["session_id"]]);
    expect(store.routing.generation("telegram", KEY)).toBe(names.length * count);
  }, 60_000);
});
