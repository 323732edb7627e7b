import { copyFileSync, closeSync, openSync, statSync, truncateSync, writeSync } from "node:fs";
import { seedFor, tempDir, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import { expect, it } from "vitest";
import { checkStore, collectStats } from "../src/index.js";
import { buildSoundStore } from "./recipes/sound-store.js";
import { PAGE } from "./recipes/spoil.js";
import { bundleState } from "./support/bundle-state.js";

const ROUNDS = 60;

/** Flips bytes, zeroes a stretch, writes noise, or cuts the file. */
function spoil(path: string, random: TestRandom): string {
  const pages = Math.floor(statSync(path).size / PAGE);
  const kind = random.int(0, 9);
  if (kind === 9) {
    const size = random.int(1, pages * PAGE - 1);
    truncateSync(path, size);
    return `cut to ${String(size)}`;
  }
  const at = random.int(0, pages - 1) * PAGE + (kind < 5 ? random.int(0, PAGE - 1) : 0);
  const length = kind < 5 ? random.int(1, 8) : kind < 7 ? PAGE : random.int(1, 3 * PAGE);
  const bytes = Buffer.alloc(length);
  if (kind < 5 || kind > 6) for (let index = 0; index < length; index++) bytes[index] = random.int(0, 255);
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, length, at);
  closeSync(file);
  return `${String(length)} bytes at ${String(at)}`;
}

it("REP-01 answers about any damaged file, at both levels, and changes nothing of it", async () => {
  using shelf = tempDir("check-fuzz");
  const seed = seedFor("REP-01 check fuzz");
  const random = testRandom(seed);
  const sound = shelf.file("sound.db");
  buildSoundStore(sound);
  const verdicts = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    using dir = tempDir("check-fuzz");
    const path = dir.file("state.db");
    copyFileSync(sound, path);
    const what = Array.from({ length: random.int(1, 3) }, () => spoil(path, random)).join(", ");
    const before = bundleState(path);
    const level = round % 2 === 0 ? "quick" : "full";
    const report = await checkStore(path, { level }).catch((error: unknown) => {
      throw new Error(`seed ${String(seed)}, round ${String(round)}: ${what}`, { cause: error });
    });
    verdicts.add(report.verdict);
    expect([round, what, report.verdict === "unknown"]).toEqual([round, what, false]);
    expect((await collectStats(path)).exists).toBe(true);
    expect([round, what, bundleState(path)]).toEqual([round, what, before]);
  }
  expect([...verdicts].sort()).toEqual(["damaged", "healthy"]);
}, 120_000);
