import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openStateStore } from "@hermes/state-core";
import { checkStore } from "@hermes/state-repair";
import { repoRoot, spawnNode } from "@hermes/testkit";
import type { Child } from "@hermes/testkit";
import { expect } from "vitest";

/** Room without end, so that the volume of the machine decides nothing. */
export const plenty = (): { freeBytes: number; totalBytes: number } => ({ freeBytes: 2 ** 40, totalBytes: 2 ** 40 });

export function child(name: string, ...args: string[]): Child {
  return spawnNode(join(repoRoot(), "packages", "state-portability", "test", "children", name), args);
}

/** Somebody builds a package at this moment: the child found half of it, and did nothing yet. */
const IN_THE_BUILD = /ERR_MODULE_NOT_FOUND|does not provide an export/;

/** Has a process make or restore a backup, which dies of SIGKILL at a stage. */
export async function dieAt(stage: string, call: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    await using killed = child("backup-scenario.mjs", call, stage);
    const { signal, stderr } = await killed.exit;
    if (IN_THE_BUILD.test(stderr) && tries < 10) await setTimeout(500);
    else {
      expect({ stage, signal, stderr }).toEqual({ stage, signal: "SIGKILL", stderr: "" });
      return;
    }
  }
}

/** Fixture F5: 40 rows in the main file, 300 in the log, and a writer that was killed. */
export async function leaveKilled(path: string): Promise<void> {
  await using writer = child("write-and-stay.mjs", path);
  await writer.waitForLine((line) => line === "ready");
  writer.kill();
  await writer.exit;
  expect(existsSync(`${path}-wal`)).toBe(true);
}

/** A closed store with rows of its own. */
export function fillStore(path: string, word: string, rows = 60): void {
  using store = openStateStore({ path });
  store.sessions.create({ id: word, source: "cli", title: `About ${word}` });
  store.messages.appendBatch(
    word,
    Array.from({ length: rows }, (_, index) => ({ role: "user", content: `${word} ${String(index)}` })),
  );
}

/** Every message, oldest first, as a fresh open sees them. */
export function contents(path: string): unknown[] {
  using store = openStateStore({ path });
  return store.read((r) => r.tuples("SELECT content FROM messages ORDER BY id")).map(([content]) => content);
}

/** Copies a store with its sidecars, as they are. */
export function copyParts(from: string, to: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
}

/** Sound by the full check. */
export async function expectSound(path: string): Promise<void> {
  const { verdict, findings } = await checkStore(path, { level: "full" });
  expect({ path, verdict, damage: findings.filter(({ severity }) => severity === "damage") }).toEqual({
    path,
    verdict: "healthy",
    damage: [],
  });
}
