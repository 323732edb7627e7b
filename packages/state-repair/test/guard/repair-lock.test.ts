import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { systemClock } from "@hermes/state-core";
import { describePython, startPythonPeer, tempHome, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { listBundles, repairLockRefusal, withRepairLock } from "../../src/index.js";
import { resultOf, startPass } from "./run-pass.js";

const lockOf = (path: string): string => `${path}.repair.lock`;

it("REP-08 runs the work once, names the holder meanwhile, and gives the lock back with an empty file", async () => {
  using home = tempHome();
  const result = await withRepairLock(home.statePath, systemClock, 0, () => {
    expect(JSON.parse(readFileSync(lockOf(home.statePath), "utf8"))).toMatchObject({ pid: process.pid });
    return Promise.resolve(7);
  });
  expect(result).toEqual({ kind: "ran", value: 7 });
  expect(readFileSync(lockOf(home.statePath), "utf8")).toBe("");
});

it("REP-08 gives the lock back when the work throws, and throws the same", async () => {
  using home = tempHome();
  const boom = new Error("boom");
  const failing = withRepairLock(home.statePath, systemClock, 0, () => Promise.reject(boom));
  await expect(failing).rejects.toBe(boom);
  expect(await withRepairLock(home.statePath, systemClock, 0, () => 1)).toEqual({ kind: "ran", value: 1 });
});

it("REP-08 a second repair in this process is told at once, without waiting for its own lock", async () => {
  using home = tempHome();
  const clock = testClock();
  const result = await withRepairLock(home.statePath, clock, 0, () =>
    withRepairLock(home.statePath, clock, 120_000, () => "never"),
  );
  expect(result).toEqual({ kind: "ran", value: { kind: "held", pid: process.pid } });
  expect(clock.sleeps).toEqual([]);
});

it("REP-08 fails closed when the lock file cannot be opened", async () => {
  using home = tempHome();
  mkdirSync(lockOf(home.statePath));
  const clock = testClock();
  const result = await withRepairLock(home.statePath, clock, 120_000, () => expect.unreachable());
  expect(result.kind).toBe("failed");
  expect(clock.sleeps).toEqual([]);
  const refusal = repairLockRefusal(home.statePath, result as { kind: "failed"; cause: unknown });
  expect(refusal.code).toBe("STATE_E_REPAIR_LOCK_FAILED");
  expect(refusal.message).toContain("EISDIR");
});

it("REP-08 two repairs at once: one operates, the other waits, finds it done and writes no ledger", async () => {
  using home = tempHome();
  writeFileSync(home.statePath, Buffer.alloc(8192, 1));
  await using first = startPass(home.statePath, "heal", { holdMs: 1500 });
  await first.waitForLine((line) => line === "surgery");
  await using second = startPass(home.statePath, "fail", { waitMs: 200 });
  const loser = await resultOf(second);
  expect(loser).toEqual({ answer: "held", pid: first.pid, surgery: false });
  expect(existsSync(`${home.statePath}.repair-attempts.json`)).toBe(false);
  expect(await resultOf(first)).toMatchObject({ answer: "heal" });
  expect(listBundles(home.statePath)).toHaveLength(1);
});

it("REP-08 a killed repair gives its lock away at once", async () => {
  using home = tempHome();
  writeFileSync(home.statePath, Buffer.alloc(8192, 1));
  await using first = startPass(home.statePath, "heal", { holdMs: 60_000 });
  await first.waitForLine((line) => line === "surgery");
  first.kill();
  await first.exit;
  const clock = testClock();
  expect(await withRepairLock(home.statePath, clock, 0, () => "mine")).toEqual({ kind: "ran", value: "mine" });
  expect(clock.sleeps).toEqual([]);
});

it("REP-08 stops waiting on an abort", async () => {
  using home = tempHome();
  writeFileSync(home.statePath, Buffer.alloc(8192, 1));
  await using first = startPass(home.statePath, "heal", { holdMs: 60_000 });
  await first.waitForLine((line) => line === "surgery");
  const signal = AbortSignal.timeout(300);
  const waiting = withRepairLock(home.statePath, systemClock, 120_000, () => expect.unreachable(), signal);
  await expect(waiting).rejects.toThrow(expect.objectContaining({ name: "TimeoutError" }));
});

describePython("the repair lock beside Python", () => {
  it("REP-08 waits for a Python holder within its bound, and Python cannot take what is held here", async () => {
    using home = tempHome();
    await using peer = await startPythonPeer();
    expect(await peer.call("flock", { path: lockOf(home.statePath) })).toBe(true);
    const clock = testClock();
    const result = await withRepairLock(home.statePath, clock, 1000, () => expect.unreachable());
    expect(result).toEqual({ kind: "held", pid: undefined });
    expect(clock.monotonicMs()).toBeGreaterThan(500);
    expect(clock.monotonicMs()).toBeLessThanOrEqual(1000);
    expect(repairLockRefusal(home.statePath, { kind: "held", pid: undefined }).code).toBe("STATE_E_REPAIR_LOCKED");
    await peer.call("unflock", { path: lockOf(home.statePath) });
    const taken = await withRepairLock(home.statePath, clock, 0, () =>
      peer.call("flock", { path: lockOf(home.statePath) }),
    );
    expect(taken).toEqual({ kind: "ran", value: false });
  });
});
