import { openStateStore } from "@hermes/state-core";
import { tempDir, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { indexStatus } from "../src/index.js";
import { pauseBackfill } from "./helpers/index-states.js";
import { createStore, detach } from "./helpers/stale-store.js";

const SET = "INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)";
const NOW = 1_700_000_000;

it("SEA-08 SEA-11 says what the indexes can do, how far a backfill is and why a stale index waits", () => {
  using dir = tempDir("status");
  using store = openStateStore({ path: createStore(dir.file("state.db"), 300), clock: testClock(NOW) });
  const half = { present: true, triggers: true, readable: true };
  const settled = { layout: 3, word: half, trigram: half, stale: false, pending: undefined, deferral: undefined };
  expect(indexStatus(store)).toEqual(settled);

  pauseBackfill(store, 100);
  expect(indexStatus(store).pending).toEqual({ indexed: 100, total: 300, percent: 33 });
  for (const [key, value, pending] of [
    ["fts_rebuild_progress", "-4", { indexed: 0, total: 300, percent: 0 }],
    ["fts_rebuild_progress", "900", { indexed: 300, total: 300, percent: 100 }],
    ["fts_rebuild_high_water", "0", undefined],
  ] as const) {
    store.write("test", (w) => w.run(SET, [key, value]));
    expect(indexStatus(store).pending).toEqual(pending);
  }

  detach(store);
  const record = {
    first_seen: NOW - 61,
    last_seen: NOW - 1,
    attempts: 3,
    holder_pids: [12],
    holders_since: NOW - 61,
    holders_attempts: 3,
    futile: false,
  };
  store.write("test", (w) => w.run(SET, ["fts_rebuild_deferral", JSON.stringify(record)]));
  expect(indexStatus(store)).toMatchObject({
    stale: true,
    pending: undefined,
    word: { triggers: false },
    deferral: { attempts: 3, holderPids: [12], futile: false, escalated: true },
  });
  for (const change of [{ attempts: 2 }, { first_seen: NOW - 60 }]) {
    store.write("test", (w) => w.run(SET, ["fts_rebuild_deferral", JSON.stringify({ ...record, ...change })]));
    expect(indexStatus(store).deferral?.escalated).toBe(false);
  }
});

it("SEA-11 reads the status of a store that is open for reading", () => {
  using dir = tempDir("status");
  using store = openStateStore({ path: createStore(dir.file("state.db"), 3), mode: "read" });
  expect(indexStatus(store)).toMatchObject({ layout: 3, stale: false, pending: undefined });
});
