import { renameSync } from "node:fs";
import {
  acquireStateStore,
  isStateError,
  openStateStore,
  sharedStateStores,
  type StateStore,
} from "@hermes/state-core";
import { readIndexState } from "@hermes/state-schema";
import {
  describePython,
  openPeerDatabase,
  type PeerDatabase,
  type PythonPeer,
  startPythonPeer,
  type TempDir,
  tempDir,
  testClock,
} from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { indexStatus, retryStaleRecovery, runBackfill } from "../src/index.js";
import { recoverWith } from "../src/index-life/recover-with.js";
import { searchIds } from "./helpers/search-ids.js";
import { createStore, detach, startLockHolder } from "./helpers/stale-store.js";
import { countWords, expectWholeIndex, expectWords } from "./helpers/word-census.js";

const START = 1_700_000_000;
const NOT_STALE = { kind: "idle", because: "not-stale" };
const BACKOFF = { kind: "idle", because: "backoff" };

/** A store of a few messages whose index is stale, on a clock that stands still. */
function staleStore(dir: TempDir, count = 30) {
  const path = createStore(dir.file("state.db"), count);
  const clock = testClock(START);
  const store = openStateStore({ path, clock });
  detach(store);
  return { path, clock, store };
}

function isStale(store: StateStore): boolean {
  return store.read((r) => readIndexState(r, store.info().capabilities)).stale;
}

async function openBeside(peer: PythonPeer, path: string): Promise<PeerDatabase> {
  const db = await openPeerDatabase(peer, path);
  await db.sql("SELECT COUNT(*) FROM messages");
  return db;
}

describe("retryStaleRecovery", () => {
  it("SEA-11 replaces the stale index of an open handle, and then has nothing to do", () => {
    using dir = tempDir("retry");
    const { store } = staleStore(dir);
    using _store = store;
    const census = countWords(store);
    store.messages.append("s", { role: "user", content: "while it was off" });
    expect(retryStaleRecovery(store)).toEqual({ kind: "recovered", pending: false });
    expectWords(store, census, "after");
    expect(searchIds(store, "while")).toEqual([31]);
    expect(indexStatus(store)).toMatchObject({ layout: 3, stale: false, pending: undefined, deferral: undefined });
    expect(retryStaleRecovery(store)).toEqual(NOT_STALE);
    store.messages.append("s", { role: "user", content: "afterwards" });
    expect(searchIds(store, "afterwards")).toEqual([32]);
  });

  it("SEA-11 fills as much as it is told to; a backfill does the rest and a search is whole all the while", async () => {
    using dir = tempDir("retry");
    const { store } = staleStore(dir, 1_800);
    using _store = store;
    expect(retryStaleRecovery(store, { steps: 2 })).toEqual({ kind: "recovered", pending: true });
    expect(indexStatus(store).pending).toEqual({ indexed: 1000, total: 1800, percent: 55 });
    expect(searchIds(store, "word1799")).toEqual([1800]);
    await runBackfill(store, { pauseMs: 0 });
    expect(indexStatus(store).pending).toBeUndefined();
    expect(searchIds(store, "word1799")).toEqual([1800]);
  });

  it("SEA-08 SEA-11 goes on with a backfill that somebody left, as far as it is told to", () => {
    using dir = tempDir("retry");
    const { store } = staleStore(dir, 1_800);
    using _store = store;
    expect(retryStaleRecovery(store, { steps: 1 })).toEqual({ kind: "recovered", pending: true });
    expect(retryStaleRecovery(store, { steps: 1 })).toEqual({ kind: "continued", pending: true });
    expect(retryStaleRecovery(store)).toEqual({ kind: "continued", pending: false });
    expect(retryStaleRecovery(store)).toEqual(NOT_STALE);
    expect(searchIds(store, "word1799")).toEqual([1800]);
  });

  it("SEA-11 does nothing on a reader and for an index that is not stale", () => {
    using dir = tempDir("retry");
    const { path, store } = staleStore(dir);
    using reader = openStateStore({ path, mode: "read" });
    expect(retryStaleRecovery(reader)).toEqual({ kind: "idle", because: "readonly" });
    expect(isStale(reader)).toBe(true);
    store.close();
    using writer = openStateStore({ path });
    expect(retryStaleRecovery(writer)).toEqual(NOT_STALE);
  });

  it("SEA-11 throws nothing: a closed store, a failing system", () => {
    using dir = tempDir("retry");
    const { store } = staleStore(dir);
    const around = { holders: () => "", steps: 20 };
    const failing = (): never => {
      throw new Error("no lock today");
    };
    expect(recoverWith(store, { ...around, ask: failing })).toEqual({
      kind: "failed",
      error: { code: "STATE_E_UNKNOWN", message: "no lock today" },
    });
    expect(isStale(store)).toBe(true);
    // What failed is tried again later and not at once.
    expect(retryStaleRecovery(store)).toEqual(BACKOFF);
    store.close();
    expect(retryStaleRecovery(store)).toMatchObject({ kind: "failed", error: { code: "STATE_E_CLOSED" } });
    expect(() => retryStaleRecovery(store, { step: 1 } as never)).toThrow(TypeError);
  });

  it("SEA-11 leaves a quarantined handle alone, and forgets how long it had waited", () => {
    using dir = tempDir("retry");
    const { path, store } = staleStore(dir);
    const deferred = { kind: "deferred", reason: "locked", holders: [], errno: undefined } as const;
    const around = { ask: () => deferred, holders: () => "", steps: 20 };
    expect(recoverWith(store, around).kind).toBe("deferred");
    expect(recoverWith(store, around)).toEqual(BACKOFF);
    renameSync(createStore(dir.file("other.db"), 1), path);
    try {
      store.messages.append("s", { role: "user", content: "x" });
      expect.unreachable("the file was replaced");
    } catch (error) {
      expect(isStateError(error)).toBe(true);
    }
    expect(store.quarantined).toBe(true);
    expect(recoverWith(store, around)).toEqual({ kind: "idle", because: "quarantined" });
    store.close();
  });

  it("SEA-11 works for every shared handle of the process", () => {
    using dir = tempDir("retry");
    const path = createStore(dir.file("state.db"), 10);
    using shared = acquireStateStore(path);
    detach(shared);
    const results = sharedStateStores()
      .filter(({ store }) => store.path === path)
      .map(({ store }) => retryStaleRecovery(store));
    expect(results).toEqual([{ kind: "recovered", pending: false }]);
    expect(isStale(shared)).toBe(false);
  });
});

describe("retryStaleRecovery beside a process that rebuilds", () => {
  it("SEA-09 SEA-11 does not wait for it; a minute after it was killed the index is replaced", async () => {
    using dir = tempDir("retry");
    const { path, clock, store } = staleStore(dir);
    using _store = store;
    await using holder = await startLockHolder(path);
    expect(retryStaleRecovery(store)).toMatchObject({
      kind: "deferred",
      reason: "locked",
      holders: [{ pid: holder.pid }],
    });
    expect(clock.monotonicMs()).toBe(0);
    expect(isStale(store)).toBe(true);
    store.messages.append("s", { role: "user", content: "stored all the same" });
    expect(searchIds(store, "stored")).toEqual([31]);
    holder.kill();
    await holder.exit;
    expect(retryStaleRecovery(store)).toEqual(BACKOFF);
    clock.advance(60_000);
    expect(retryStaleRecovery(store)).toEqual({ kind: "recovered", pending: false });
    expectWholeIndexWithoutStamp(store);
  });
});

/** The stamp of the layout comes with the next open. */
function expectWholeIndexWithoutStamp(store: StateStore): void {
  const { path } = store;
  store.close();
  using again = openStateStore({ path });
  expectWholeIndex(again, "after");
}

describePython("retryStaleRecovery beside a process that has the file open", () => {
  it("SEA-11 rests 60 s, then twice as long each time up to an hour", async () => {
    using dir = tempDir("retry");
    const { path, clock, store } = staleStore(dir);
    using _store = store;
    await using peer = await startPythonPeer();
    const db = await openBeside(peer, path);
    const deferred = { kind: "deferred", reason: "held-open", holders: [{ pid: peer.pid }] };
    expect(retryStaleRecovery(store)).toMatchObject(deferred);
    for (const seconds of [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
      expect(retryStaleRecovery(store)).toEqual(BACKOFF);
      clock.advance(seconds * 1000 - 1);
      expect(retryStaleRecovery(store)).toEqual(BACKOFF);
      clock.advance(1);
      expect(retryStaleRecovery(store), `after ${seconds} s`).toMatchObject(deferred);
    }
    expect(indexStatus(store).deferral).toMatchObject({
      attempts: 9,
      holderPids: [peer.pid],
      holdersAttempts: 9,
      escalated: true,
      futile: false,
    });
    await db.close();
    // Nobody has it open any more: that is another situation, so nothing is waited for.
    expect(retryStaleRecovery(store)).toEqual({ kind: "recovered", pending: false });
    expect(indexStatus(store).deferral).toBeUndefined();
    // The next trouble begins with a minute again.
    detach(store);
    const again = await openBeside(peer, path);
    expect(retryStaleRecovery(store)).toMatchObject(deferred);
    clock.advance(60_000);
    expect(retryStaleRecovery(store)).toMatchObject(deferred);
    await again.close();
  });

  it("SEA-11 does not rest when others have the file open than before", async () => {
    using dir = tempDir("retry");
    const { path, clock, store } = staleStore(dir);
    using _store = store;
    await using first = await startPythonPeer();
    await using second = await startPythonPeer();
    const mine = await openBeside(first, path);
    expect(retryStaleRecovery(store)).toMatchObject({ kind: "deferred" });
    clock.advance(60_000);
    expect(retryStaleRecovery(store)).toMatchObject({ kind: "deferred" });
    expect(retryStaleRecovery(store)).toEqual(BACKOFF);
    const theirs = await openBeside(second, path);
    const both = [first.pid, second.pid].sort((a, b) => a - b);
    const changed = retryStaleRecovery(store);
    expect(changed.kind === "deferred" && changed.holders.map(({ pid }) => pid).sort((a, b) => a - b)).toEqual(both);
    expect(retryStaleRecovery(store)).toEqual(BACKOFF);
    // Others, so 60 s again and not 240.
    clock.advance(60_000);
    expect(retryStaleRecovery(store)).toMatchObject({ kind: "deferred" });
    await mine.close();
    await theirs.close();
    expect(retryStaleRecovery(store)).toEqual({ kind: "recovered", pending: false });
  });
});
