import { mkdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { describePython, openPeerDatabase, startPythonPeer, tempDir, testClock } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { acquireKernelLock, admitRebuild, openStateStore, REBUILD_WAIT_MS, systemClock } from "../src/index.js";

const clock = systemClock;

describe("the right to rebuild", () => {
  it("SEA-09 is had by one at a time and given back", () => {
    using dir = tempDir("admit");
    const path = dir.file("state.db");
    openStateStore({ path }).close();
    const first = admitRebuild({ path, clock, waitMs: 0 });
    const second = admitRebuild({ path, clock, waitMs: 0 });
    expect(first.kind).toBe("admitted");
    expect(second).toEqual({
      kind: "deferred",
      reason: "locked",
      holders: [{ pid: process.pid, files: [`${path}.fts_rebuild.lock`], command: "" }],
      errno: undefined,
    });
    if (first.kind === "admitted") first.release();
    const third = admitRebuild({ path, clock, waitMs: 0 });
    expect(third.kind).toBe("admitted");
    if (third.kind === "admitted") third.release();
    expect(statSync(`${path}.fts_rebuild.lock`).size).toBe(0);
  });

  it("SEA-09 is waited for 120 s when nothing else is said, and no longer", () => {
    using dir = tempDir("admit");
    const path = dir.file("state.db");
    openStateStore({ path }).close();
    const held = acquireKernelLock(`${path}.fts_rebuild.lock`, 0, clock);
    const waiting = testClock();
    expect(admitRebuild({ path, clock: waiting }).kind).toBe("deferred");
    expect(REBUILD_WAIT_MS).toBe(120_000);
    expect(waiting.monotonicMs()).toBeGreaterThan(119_000);
    expect(waiting.monotonicMs()).toBeLessThanOrEqual(120_000);
    if (held.kind === "acquired") held.release();
  });

  it("SEA-09 is not had, and not waited for, where no lock can be had", () => {
    using dir = tempDir("admit");
    const path = dir.file("state.db");
    openStateStore({ path }).close();
    mkdirSync(`${path}.fts_rebuild.lock`);
    const waiting = testClock();
    expect(admitRebuild({ path, clock: waiting })).toEqual({
      kind: "deferred",
      reason: "lock-failed",
      holders: [],
      errno: -constants.errno.EISDIR,
    });
    expect(waiting.monotonicMs()).toBe(0);
  });
});

describePython("the right to rebuild beside others", () => {
  it("SEA-10 is not given while another process has the file open, unless somebody asked for this rebuild", async () => {
    using dir = tempDir("admit");
    const path = dir.file("state.db");
    openStateStore({ path }).close();
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await db.sql("SELECT COUNT(*) FROM messages");
    const waiting = testClock();
    expect(admitRebuild({ path, clock: waiting })).toMatchObject({
      kind: "deferred",
      reason: "held-open",
      holders: [{ pid: peer.pid }],
    });
    expect(waiting.monotonicMs()).toBe(0);
    const asked = admitRebuild({ path, clock: waiting, besideOthers: true });
    expect(asked.kind).toBe("admitted");
    if (asked.kind === "admitted") asked.release();
    await db.close();
    const alone = admitRebuild({ path, clock: waiting });
    expect(alone.kind).toBe("admitted");
    if (alone.kind === "admitted") alone.release();
  });
});
