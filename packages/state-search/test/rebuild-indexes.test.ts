import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { admitRebuild, openStateStore, type Progress, type StateStore } from "@hermes/state-core";
import type { RebuildAdmission, Writer } from "@hermes/state-schema";
import { describePython, openPeerDatabase, spawnNode, startPythonPeer, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { indexStatus, type RebuildableStore, rebuildIndexes, runBackfill } from "../src/index.js";
import { rebuildWith } from "../src/index-life/rebuild-with.js";
import { relayout } from "./helpers/index-states.js";
import { searchIds } from "./helpers/search-ids.js";
import { childScript, createStore, detach, startLockHolder } from "./helpers/stale-store.js";
import { countWords, expectWholeIndex, expectWords } from "./helpers/word-census.js";

const BOTH = ["messages_fts", "messages_fts_trigram"];

/** Opens it once more, which stamps a settled layout, and expects everything of it. */
function expectWholeFile(path: string): void {
  using store = openStateStore({ path });
  expectWholeIndex(store, "after");
  expectWords(store, countWords(store), "after", 7);
}

describe("rebuildIndexes", () => {
  it.each([3, 2, 1, 0, "content-only", "stale", "empty"] as const)(
    "SEA-09 builds both indexes anew, with every word where it was: %s",
    async (state) => {
      using dir = tempDir("rebuild");
      using store = openStateStore({ path: createStore(dir.file("state.db"), 1_200) });
      const census = countWords(store);
      if (state === "stale") detach(store);
      else if (state === "empty")
        store.write("test", (w) => w.run("INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')"));
      else relayout(store, state);
      const events: Progress[] = [];
      const report = await rebuildIndexes(store, { onProgress: (event) => events.push(event) });
      expect(report).toEqual({ ok: true, indexes: BOTH, failed: [], pending: false, lost: [] });
      expect(events.map(({ phase, done, total }) => [phase, done, total])).toEqual([
        ["replace", 0, 1],
        ["replace", 1, 1],
        ["backfill", 500, 1200],
        ["backfill", 1000, 1200],
        ["backfill", 1200, 1200],
      ]);
      expect(store.info().ftsLayout).toBe(state === 1 || state === 2 ? state : 3);
      expectWords(store, census, "after", 5);
      store.write("test: check", (w) => {
        for (const table of BOTH) w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
      });
    },
  );

  it("SEA-09 can be stopped between two steps: a backfill goes on from there, and the lock is free", async () => {
    using dir = tempDir("rebuild");
    const path = createStore(dir.file("state.db"), 2_200);
    using store = openStateStore({ path });
    const stop = new AbortController();
    const reason = new Error("enough");
    const onProgress = ({ done }: Progress): void => {
      if (done === 1000) stop.abort(reason);
    };
    await expect(rebuildIndexes(store, { onProgress, signal: stop.signal })).rejects.toBe(reason);
    expect(indexStatus(store).pending).toEqual({ indexed: 1000, total: 2200, percent: 45 });
    expect(searchIds(store, "word2199")).toEqual([2200]);
    const admission = admitRebuild({ path, clock: store.clock, waitMs: 0 });
    expect(admission.kind).toBe("admitted");
    if (admission.kind === "admitted") admission.release();
    await runBackfill(store, { pauseMs: 0 });
    expect(searchIds(store, "word2199")).toEqual([2200]);
    expect(indexStatus(store).pending).toBeUndefined();
  });

  it("SEA-09 one index that cannot be built does not keep the other from it", async () => {
    using dir = tempDir("rebuild");
    using store = openStateStore({ path: createStore(dir.file("state.db"), 20) });
    const report = await rebuildIndexes(refusing(store, /CREATE VIRTUAL TABLE \S+ \S+ \S+ messages_fts_trigram/));
    expect(report).toMatchObject({ ok: true, indexes: ["messages_fts"], failed: [{ index: "messages_fts_trigram" }] });
    expect(searchIds(store, "word7")).toEqual([8]);
    detach(store);
    const none = await rebuildIndexes(refusing(store, /CREATE VIRTUAL TABLE/));
    expect(none).toMatchObject({ ok: false, reason: "failed", failed: [{}, { index: "messages_fts" }] });
    expect(indexStatus(store).stale).toBe(true);
  });

  it("SEA-09 refuses a reader, and options that mean nothing", async () => {
    using dir = tempDir("rebuild");
    using store = openStateStore({ path: createStore(dir.file("state.db"), 1), mode: "read" });
    expect(await rebuildIndexes(store)).toMatchObject({ ok: false, reason: "readonly" });
    await expect(rebuildIndexes(store, { wait: 1 } as never)).rejects.toThrow(TypeError);
    await expect(rebuildIndexes(store, { waitMs: "1" } as never)).rejects.toThrow(TypeError);
    await expect(rebuildIndexes(store, { waitMs: -1 })).rejects.toThrow(RangeError);
  });

  it("SEA-09 fails closed at once where no lock can be had", async () => {
    using dir = tempDir("rebuild");
    const path = createStore(dir.file("state.db"), 5);
    using store = openStateStore({ path });
    detach(store);
    mkdirSync(`${path}.fts_rebuild.lock`);
    expect(await rebuildIndexes(store)).toEqual({
      ok: false,
      reason: "lock-failed",
      holders: [],
      errno: -constants.errno.EISDIR,
      failed: [],
    });
    expect(indexStatus(store).stale).toBe(true);
  });
});

/** A store on which the engine refuses some statements. */
function refusing(store: StateStore, pattern: RegExp): RebuildableStore {
  const refuse = (sql: string): void => {
    if (pattern.test(sql)) throw Object.assign(new Error("no such tokenizer: trigram"), { code: "SQLITE_ERROR" });
  };
  const wrap = (w: Writer): Writer => ({
    all: (sql, params) => w.all(sql, params),
    get: (sql, params) => w.get(sql, params),
    tuples: (sql, params) => w.tuples(sql, params),
    run: (sql, params) => w.run(sql, params),
    editSchema: (sql, params) => w.editSchema(sql, params),
    exec: (sql) => {
      refuse(sql);
      w.exec(sql);
    },
  });
  return {
    path: store.path,
    clock: store.clock,
    readonly: store.readonly,
    quarantined: store.quarantined,
    info: () => store.info(),
    otherHolders: () => store.otherHolders(),
    read: (fn) => store.read(fn),
    write: (label, fn, patience) => store.write(label, (w) => fn(wrap(w)), patience),
  };
}

/** Expects that nothing is rebuilt while another process has the right to: the way that right is asked for is given. */
async function expectLockRespected(ask: (store: StateStore) => () => RebuildAdmission): Promise<void> {
  using dir = tempDir("rebuild");
  const path = createStore(dir.file("state.db"), 20);
  using store = openStateStore({ path });
  detach(store);
  await using holder = await startLockHolder(path);
  const started = performance.now();
  const report = await rebuildWith(store, ask(store), { waitMs: 400 });
  expect(report).toMatchObject({ ok: false, reason: "locked", holders: [{ pid: holder.pid }] });
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(indexStatus(store).stale).toBe(true);
  store.messages.append("s", { role: "user", content: "stored all the same" });
  expect(searchIds(store, "stored")).toEqual([21]);
  holder.kill();
  await holder.exit;
  expect(await rebuildWith(store, ask(store), { waitMs: 400 })).toMatchObject({ ok: true, indexes: BOTH });
  expect(searchIds(store, "stored")).toEqual([21]);
}

describe("rebuildIndexes beside other processes", () => {
  const properly =
    ({ path, clock }: StateStore) =>
    (): RebuildAdmission =>
      admitRebuild({ path, clock, waitMs: 0 });

  it("SEA-09 gives up within its bound while another process holds the lock, and works when that was killed", async () => {
    await expectLockRespected(properly);
  });

  it("SEA-09 the test would notice: an admission that is always open", async () => {
    const open = (): RebuildAdmission => ({ kind: "admitted", release: () => undefined });
    await expect(expectLockRespected(() => open)).rejects.toThrow();
  });

  it("SEA-09 two that rebuild in a loop, 50 times in all, leave a sound file", async () => {
    using dir = tempDir("rebuild");
    const path = createStore(dir.file("state.db"), 1_100);
    const children = [0, 1].map(() => spawnNode(childScript("rebuild-loop.mjs"), [path, "25"], { timeout: 150_000 }));
    try {
      await Promise.all(children.map((child) => child.waitForLine((line) => line === "ready")));
      for (const child of children) child.send("go");
      using store = openStateStore({ path });
      for (let n = 0; n < 40; n++) {
        store.messages.append("s", { role: "user", content: `beside${n}` });
        expect(searchIds(store, `beside${n}`)).toEqual([1_101 + n]);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const ends = await Promise.all(children.map(({ exit }) => exit));
      expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual([0, 1].map(() => ({ code: 0, stderr: "" })));
      const reports = children.flatMap(({ lines }) => lines.slice(1).map((line) => JSON.parse(line) as unknown));
      expect(reports).toHaveLength(50);
      expect(new Set(reports.map((report) => JSON.stringify(report)))).toEqual(
        new Set([JSON.stringify({ ok: true, pending: false })]),
      );
    } finally {
      for (const child of children) child.kill();
    }
    expectWholeFile(path);
  }, 180_000);
});

describePython("rebuildIndexes beside the peer", () => {
  it("SEA-10 is refused while the peer has the file open, unless it is asked for in spite of that", async () => {
    using dir = tempDir("rebuild");
    const path = createStore(dir.file("state.db"), 30);
    await using peer = await startPythonPeer();
    {
      using store = openStateStore({ path });
      detach(store);
      const db = await openPeerDatabase(peer, path);
      await db.sql("SELECT COUNT(*) FROM messages");
      expect(await rebuildIndexes(store)).toMatchObject({
        ok: false,
        reason: "held-open",
        holders: [{ pid: peer.pid }],
      });
      expect(indexStatus(store).stale).toBe(true);
      expect(await rebuildIndexes(store, { force: true })).toMatchObject({ ok: true, indexes: BOTH });
      await db.append("s", { role: "user", content: "from the peer" });
      expect(searchIds(store, "peer")).toEqual([31]);
      expect(await db.ftsCheck("messages_fts")).toBe("ok");
      await db.close();
    }
    expectWholeFile(path);
  });
});
