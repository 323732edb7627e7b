import { fileURLToPath } from "node:url";
import { openStateStore } from "@hermes/state-core";
import {
  type Child,
  describePython,
  openPeerDatabase,
  spawnNode,
  startPythonPeer,
  type TempDir,
  tempDir,
} from "@hermes/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { optimizeStorage } from "../src/index.js";
import { buildLegacyFile, makePending } from "./helpers/legacy-file.js";
import { searchIds } from "./helpers/search-ids.js";
import { countWords, expectWholeIndex, expectWords } from "./helpers/word-census.js";

const ROWS = 3000;
const script = fileURLToPath(new URL("children/index-race.mjs", import.meta.url));

/** What a process of a race did. */
interface Outcome {
  readonly rounds: number;
  readonly slowestMs: number;
  /** Codes of what it met; anything but a busy file ends it. */
  readonly errors: readonly string[];
  readonly last?: { readonly ok?: boolean; readonly reason?: string };
}

/** Work, rounds, name. */
type Runner = readonly [work: string, rounds: number, name: string];

describePython("two processes at one index", () => {
  let dir: TempDir;
  let path: string;

  beforeEach(() => {
    dir = tempDir("index-races");
    path = buildLegacyFile(dir.file("state.db"), ROWS);
  });

  afterEach(() => {
    dir[Symbol.dispose]();
  });

  /** Starts all runners, lets them go at the same moment, and waits for what they did. */
  async function race(...runners: readonly Runner[]): Promise<readonly Outcome[]> {
    const children: Child[] = runners.map(([work, rounds, name]) =>
      spawnNode(script, [path, work, String(rounds), name], { timeout: 60_000 }),
    );
    try {
      await Promise.all(children.map((child) => child.waitForLine((line) => line === "ready")));
      for (const child of children) child.send("go");
      const ends = await Promise.all(children.map((child) => child.exit));
      return ends.map((end) => {
        expect(end, end.stderr).toMatchObject({ code: 0, timedOut: false });
        return JSON.parse(end.stdout.split("\n").at(-1) ?? "null") as Outcome;
      });
    } finally {
      for (const child of children) await child[Symbol.asyncDispose]();
    }
  }

  /** A last run by one process alone ends in full health: checks, markers, and every word of every row. */
  async function expectHealth(...appended: readonly (readonly [prefix: string, count: number])[]): Promise<void> {
    {
      using store = openStateStore({ path });
      expect(await optimizeStorage(store, { pauseMs: 0 })).toMatchObject({ ok: true, layout: 3 });
    }
    using store = openStateStore({ path });
    expectWholeIndex(store, "after the race");
    const expected = ROWS + appended.reduce((sum, [, count]) => sum + count, 0);
    expect(store.messages.count("old-1") + store.messages.count("old-2")).toBe(expected);
    for (const [prefix, count] of appended) {
      const ids = Array.from({ length: count }, (_, round) => searchIds(store, `${prefix}${String(round)}`));
      expect(ids.filter((found) => found.length !== 1)).toEqual([]);
    }
    expectWords(store, countWords(store), "after the race", 5);
  }

  it("SEA-08 appends beside a runner of the backfill", async () => {
    makePending(path, 0);
    const [appended, stepped] = await race(["append", 200, "kiwi"], ["step", 40, "s"]);
    expect([appended?.rounds, stepped?.rounds]).toEqual([200, 40]);
    await expectHealth(["kiwi", 200]);
  }, 90_000);

  it("SEA-08 two runners of one backfill share the steps: no row is indexed twice", async () => {
    makePending(path, 0);
    await race(["step", 10, "a"], ["step", 10, "b"]);
    await expectHealth();
  }, 90_000);

  it("SEA-11 takes the index off beside a runner of its backfill", async () => {
    makePending(path, 0);
    await race(["step", 30, "s"], ["detach", 3, "d"], ["append", 60, "kiwi"]);
    await expectHealth(["kiwi", 60]);
  }, 90_000);

  it("SEA-09 appends beside a rebuild: no message is lost, in the file or in the index", async () => {
    makePending(path, ROWS);
    const [appended, rebuilt] = await race(["append", 150, "kiwi"], ["rebuild", 3, "r"]);
    expect(appended).toMatchObject({ rounds: 150, errors: [] });
    expect(rebuilt).toMatchObject({ rounds: 3, errors: [], last: { ok: true } });
    await expectHealth(["kiwi", 150]);
  }, 90_000);

  it("SEA-09 two processes that rebuild again and again do it one after the other", async () => {
    makePending(path, ROWS);
    const outcomes = await race(["rebuild", 6, "a"], ["rebuild", 6, "b"]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ rounds: 6, last: { ok: true } });
    await expectHealth();
  }, 90_000);

  it("SEA-12 takes the index off beside an upgrade", async () => {
    const [optimized] = await race(["optimize", 2, "o"], ["detach", 6, "d"], ["append", 60, "kiwi"]);
    expect(optimized?.last?.ok === true || optimized?.last?.reason !== undefined).toBe(true);
    await expectHealth(["kiwi", 60]);
  }, 90_000);

  it("SEA-12 upgrades beside a Python program that writes: every row of both is stored and found", async () => {
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path, { timeoutSeconds: 30 });
    const appending = db.appendMany("old-1", 60, "kiwi", 50);
    await appending.started;
    const [optimized] = await race(["optimize", 1, "o"]);
    expect(optimized).toMatchObject({ rounds: 1, errors: [], last: { ok: true } });
    const slowest = await appending.done;
    expect(slowest).toHaveLength(60);
    await db.close();
    using store = openStateStore({ path });
    expectWholeIndex(store, "beside Python");
    expect(searchIds(store, "kiwi")).toHaveLength(60);
    expectWords(store, countWords(store), "beside Python", 5);
  }, 90_000);
});
