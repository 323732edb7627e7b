import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { describePython, fileMode, spawnNode, startPythonPeer, tempDir, testClock } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { acquireKernelLock, systemClock } from "../src/index.js";
import type { LockAttempt } from "../src/index.js";
import { stillNamed } from "../src/locking/lock-file.js";
import { processStart } from "../src/locking/process-start.js";
import { orphanLock, startHolder } from "./support/orphan-lock.js";
import { childScript } from "./worker.js";

function take(path: string, waitMs = 0): LockAttempt {
  return acquireKernelLock(path, waitMs, systemClock);
}

function release(attempt: LockAttempt): void {
  if (attempt.kind === "acquired") attempt.release();
}

describe("a kernel lock", () => {
  it("SEA-09 leaves the record the peer reads while it is held, and blanks it on release", () => {
    using dir = tempDir("lock");
    const path = dir.file("state.db.fts_rebuild.lock");
    const clock = testClock(1_700_000_000.5);
    const attempt = acquireKernelLock(path, 0, clock);
    const text = readFileSync(path, "utf8");
    expect(JSON.parse(text)).toEqual({
      acquired_at: 1_700_000_000.5,
      pid: process.pid,
      start_ticks: processStart(process.pid),
    });
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["acquired_at", "pid", "start_ticks"]);
    expect(fileMode(path)).toBe(0o600);
    release(attempt);
    expect(statSync(path).size).toBe(0);
  });

  it("SEA-09 REP-08 takes neither an empty file nor a record that was left behind for a holder", () => {
    using dir = tempDir("lock");
    const path = dir.file("x.lock");
    for (const content of ["", JSON.stringify({ acquired_at: 1, pid: 1, start_ticks: 1 }), "{"]) {
      writeFileSync(path, content);
      const attempt = take(path);
      expect(attempt.kind).toBe("acquired");
      release(attempt);
    }
  });

  it("SEA-09 is held against this process too, asks every 0.1 s and gives up at its bound", () => {
    using dir = tempDir("lock");
    const path = dir.file("x.lock");
    const first = take(path);
    const clock = testClock();
    expect(acquireKernelLock(path, 120_000, clock)).toMatchObject({ kind: "held", holder: { pid: process.pid } });
    expect(clock.monotonicMs()).toBeGreaterThan(119_000);
    expect(clock.monotonicMs()).toBeLessThanOrEqual(120_000);
    expect(new Set(clock.sleeps)).toEqual(new Set([100]));
    release(first);
    const again = take(path);
    expect(again.kind).toBe("acquired");
    release(again);
  });

  it("SEA-09 counts only on the file that has the name", () => {
    using dir = tempDir("lock");
    const path = dir.file("x.lock");
    const first = take(path);
    unlinkSync(path);
    const second = take(path);
    expect(second.kind).toBe("acquired");
    expect(take(path).kind).toBe("held");
    release(first);
    expect(take(path).kind).toBe("held");
    release(second);
    expect(stillNamed(0, path)).toBe(false);
  });
});

describe("what says nothing about a holder", () => {
  const places: readonly [string, (dir: TempDir) => string, readonly number[]][] = [
    ["a folder in its place", (dir) => (mkdirSync(dir.file("x.lock")), dir.file("x.lock")), [-constants.errno.EISDIR]],
    ["a missing folder", (dir) => dir.file("no/x.lock"), [-constants.errno.ENOENT]],
    [
      "a file for a folder",
      (dir) => (writeFileSync(dir.file("f"), ""), dir.file("f/x.lock")),
      [-constants.errno.ENOTDIR],
    ],
    ["a device that takes no record", () => "/dev/full", [-constants.errno.EINVAL, -constants.errno.ENOSPC]],
  ];
  it.each(places)("SEA-09 REP-08 fails closed at once with the real errno: %s", (_, make, errnos) => {
    using dir = tempDir("lock");
    const clock = testClock();
    const attempt = acquireKernelLock(make(dir), 120_000, clock);
    expect(attempt.kind).toBe("failed");
    expect(errnos).toContain(attempt.kind === "failed" ? attempt.errno : 0);
    expect(clock.monotonicMs()).toBe(0);
  });

  it("SEA-09 REP-08 fails closed in a folder that may not be written to", async () => {
    using dir = tempDir("lock");
    chmodSync(dir.path, 0o755);
    await using child = spawnNode(childScript("lock-worker.mjs"), ["nobody", dir.file("warm-up.lock")]);
    child.send(JSON.stringify({ path: dir.file("x.lock"), waitMs: 60_000, holdMs: 0 }));
    expect(JSON.parse(await child.waitForLine(() => true))).toEqual({ kind: "failed", errno: -constants.errno.EACCES });
    expect(existsSync(dir.file("x.lock"))).toBe(false);
  });
});

describePython("a kernel lock and a dead holder", () => {
  it("SEA-09 REP-08 is free at once when its holder was killed", async () => {
    using dir = tempDir("lock");
    const path = dir.file("x.lock");
    const { holder, pid } = await startHolder(path);
    expect(take(path)).toMatchObject({ kind: "held", holder: { pid } });
    holder.kill();
    await holder.exit;
    const attempt = take(path);
    expect(attempt.kind).toBe("acquired");
    release(attempt);
  });

  it("SEA-09 REP-08 T16 is broken when a forked child keeps it for a holder that is dead", async () => {
    using dir = tempDir("lock");
    const path = dir.file("x.lock");
    using orphan = await orphanLock(path);
    const before = statSync(path).ino;
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: orphan.pid });
    const attempt = take(path);
    expect(attempt.kind).toBe("acquired");
    expect(statSync(path).ino).not.toBe(before);
    expect(take(path).kind).toBe("held");
    release(attempt);
  });

  it("SEA-09 waits a little before it breaks a lock, and no longer than it was told to", async () => {
    using dir = tempDir("lock");
    const path = dir.file("x.lock");
    using _orphan = await orphanLock(path);
    const clock = testClock();
    const attempt = acquireKernelLock(path, 120_000, clock);
    expect(attempt.kind).toBe("acquired");
    expect(clock.monotonicMs()).toBeLessThan(2_100);
    release(attempt);
  });

  const self = { acquired_at: 1, pid: process.pid, start_ticks: processStart(process.pid) };
  const records: readonly [string, unknown, boolean][] = [
    ["a process that is gone", { ...self, pid: 4_194_303 }, true],
    ["another life of a process id", { ...self, start_ticks: 1 }, true],
    ["a living process", self, false],
    ["a process id of 0", { ...self, pid: 0 }, false],
    ["a process id below 0", { ...self, pid: -5 }, false],
    ["no start", { acquired_at: 1, pid: 4_194_303 }, false],
    ["an unknown start", { ...self, pid: 4_194_303, start_ticks: null }, false],
    ["a process id in words", { ...self, pid: "4194303" }, false],
    ["no object", 7, false],
    ["nothing", undefined, false],
  ];
  it.each(records)("SEA-09 REP-08 judges a held lock whose record names %s", async (_, record, breaks) => {
    using dir = tempDir("lock");
    const path = dir.file("x.lock");
    await using peer = await startPythonPeer();
    expect(await peer.call("flock", { path })).toBe(true);
    writeFileSync(path, record === undefined ? '{"acquired_at": 1, "pi' : JSON.stringify(record));
    const attempt = take(path);
    expect(attempt.kind).toBe(breaks ? "acquired" : "held");
    release(attempt);
  });
});

interface Turn {
  readonly kind: string;
  readonly alone?: boolean;
}

describePython("two that break one lock", () => {
  async function contend(rounds: number, careless: boolean): Promise<Turn[]> {
    const holdMs = careless ? 500 : 25;
    using dir = tempDir("lock");
    const answers: Turn[] = [];
    const waiting: (() => void)[] = [];
    const onLine = (line: string): void => {
      answers.push(JSON.parse(line) as Turn);
      waiting.shift()?.();
    };
    const options = { timeout: 120_000, onLine };
    await using first = spawnNode(childScript("lock-worker.mjs"), [], options);
    await using second = spawnNode(childScript("lock-worker.mjs"), [], options);
    await using third = spawnNode(childScript("lock-worker.mjs"), [], options);
    for (let round = 0; round < rounds; round++) {
      const path = dir.file(`${round}.lock`);
      using _orphan = await orphanLock(path);
      const done = Promise.all([0, 1, 2].map(() => new Promise<void>((resolve) => waiting.push(resolve))));
      const task = JSON.stringify({ path, waitMs: 300, holdMs, careless: false });
      first.send(task);
      second.send(task);
      third.send(careless ? JSON.stringify({ path, waitMs: 300, holdMs, careless }) : task);
      await done;
    }
    return answers;
  }

  it("SEA-09 REP-08 never both have it", async () => {
    const answers = await contend(10, false);
    expect(answers).toHaveLength(30);
    expect(answers.filter(({ alone }) => alone === false)).toEqual([]);
    expect(answers.filter(({ kind }) => kind === "acquired").length).toBeGreaterThanOrEqual(10);
    expect(answers.filter(({ kind }) => kind === "failed")).toEqual([]);
  });

  it("SEA-09 the test would notice: one that removes the file without looking lets two in", async () => {
    const answers = await contend(1, true);
    expect(answers.some(({ alone }) => alone === false)).toBe(true);
  });
});
