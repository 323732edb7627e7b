import { copyFileSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileHash, hashRows, killAfter, spawnNode, tempDir } from "@hermes/testkit";
import type { Child, TempDir } from "@hermes/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applyRepair, checkStore } from "../src/index.js";
import type { RepairStage } from "../src/index.js";
import { childScript } from "./children/child-script.js";
import { RECIPES } from "./recipes/all-recipes.js";
import { buildSoundStore, readManifest } from "./recipes/sound-store.js";
import type { Manifest } from "./recipes/sound-store.js";

const plenty = (): { freeBytes: number; totalBytes: number } => ({ freeBytes: 1e12, totalBytes: 1e12 });

let shelf: TempDir;
let manifest: Manifest;
let rows: ReturnType<typeof hashRows>;
const EXCLUDED = ["state_meta"];
beforeAll(() => {
  shelf = tempDir("crash");
  manifest = buildSoundStore(shelf.file("wal.db"));
  buildSoundStore(shelf.file("delete.db"), { journal: "delete" });
  rows = hashRows(shelf.file("wal.db"), { exclude: EXCLUDED });
});
afterAll(() => {
  shelf[Symbol.dispose]();
});

async function damagedFile(number: string, journal: "wal" | "delete", name: string): Promise<string> {
  const recipe = RECIPES.find((candidate) => candidate.number === number)!;
  const path = shelf.file(name);
  copyFileSync(shelf.file(`${journal}.db`), path);
  await recipe.damage(path);
  return path;
}

/** Whatever a dead repair left: the next one completes it, every row is what it was, and no debris stays. */
async function expectCompletion(path: string, context: string): Promise<void> {
  const report = await applyRepair(path, { space: plenty });
  expect({ context, error: report.error, repaired: report.repaired }).toEqual({ context, error: null, repaired: true });
  expect({ context, manifest: readManifest(path) }).toEqual({ context, manifest });
  expect(hashRows(path, { shape: rows.shape, exclude: EXCLUDED })).toEqual(rows);
  expect({ context, verdict: (await checkStore(path, { level: "full" })).verdict }).toEqual({
    context,
    verdict: "healthy",
  });
  const beside = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
  expect(beside.filter((name) => /scratch|staging|attempts/.test(name))).toEqual([]);
}

const STAGES: readonly RepairStage[] = [
  "locked",
  "bundled",
  "guarded",
  "copied",
  "treated",
  "promoting",
  "promoted",
  "compacted",
  "settled",
];
/** Up to here nothing has reached the file. */
const UNTOUCHED = STAGES.slice(0, STAGES.indexOf("promoting") + 1);

function repairApart(path: string, at: { readonly stage?: RepairStage; readonly write?: number } = {}): Child {
  return spawnNode(childScript("repair-scenario.mjs"), [path, JSON.stringify(at)]);
}

async function answerOf(child: Child): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await child.exit;
  const last = stdout.split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`the repair ended without an answer: ${stdout} ${stderr}`);
  return JSON.parse(last) as Record<string, unknown>;
}

it.each([
  ...STAGES.map((stage) => ({ stage, journal: "delete" as const })),
  ...STAGES.slice(5, 8).map((stage) => ({ stage, journal: "wal" as const })),
])(
  "REP-06 survives SIGKILL at the stage $stage in $journal mode: the file is as before, or the next repair completes it",
  async ({ journal, stage }) => {
    const path = await damagedFile("5b", journal, `${stage}-${journal}.db`);
    const before = fileHash(path);
    await using child = repairApart(path, { stage });
    const end = await child.exit;
    expect({ signal: end.signal, stderr: end.stderr }).toEqual({ signal: "SIGKILL", stderr: "" });
    if (UNTOUCHED.includes(stage)) expect(fileHash(path)).toBe(before);
    await expectCompletion(path, stage);
  },
);

it.each([
  { number: "8d", journal: "wal" as const },
  { number: "4b", journal: "delete" as const },
])(
  "REP-06 survives SIGKILL before any statement that brings the repair of recipe $number home, in $journal mode",
  async ({ number, journal }) => {
    const whole = await damagedFile(number, journal, `whole-${number}.db`);
    await using run = repairApart(whole);
    const writes = (await answerOf(run))["writes"] as number;
    expect(writes).toBeGreaterThan(20);
    // Close together at the beginning, where rows and schema are written, and spread over the checks behind.
    const points = [1, 3, 5, 8, 12, 20, Math.floor(writes / 2), writes - 1];
    for (const write of points) {
      const path = await damagedFile(number, journal, `${number}-${String(write)}.db`);
      await using child = repairApart(path, { write });
      expect((await child.exit).signal).toBe("SIGKILL");
      await expectCompletion(path, `before write ${String(write)} of ${String(writes)}`);
    }
  },
  240_000,
);

it.each([0, 1, 2, 3])("REP-06 survives SIGKILL in the middle of writing the file, try %i", async (attempt) => {
  const path = await damagedFile("8e", attempt % 2 === 0 ? "wal" : "delete", `timed-${String(attempt)}.db`);
  await using child = repairApart(path);
  await child.waitForLine((line) => line === "promoting");
  await killAfter(child, attempt * 25);
  await expectCompletion(path, `after ${String(attempt * 25)} ms`);
});

it("REP-06 REP-08 of two repairs at once one operates and the other adopts its result", async () => {
  const path = await damagedFile("8d", "wal", "two.db");
  await using first = repairApart(path);
  await first.waitForLine((line) => line === "locked");
  await using second = repairApart(path);
  const answers = await Promise.all([answerOf(first), answerOf(second)]);
  expect(answers[0]).toMatchObject({ repaired: true, strategy: "drop_fts_rebuild" });
  expect(answers[1]).toMatchObject({ repaired: true, strategy: "repaired_by_other_process", error: null });
  const bundles = readdirSync(shelf.path).filter((name) => /^two\.db\.malformed-backup-[\d_]+$/.test(name));
  expect(bundles).toHaveLength(1);
});
