import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStateError } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { importInto } from "@hermes/state-portability";
import type { ImportItem, ImportMode, ImportOptions, ImportReport } from "@hermes/state-portability";
import { seedFor, tempHome, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import { expect, it } from "vitest";
import { bases, openFor } from "./fuzz/bases.js";
import type { Base } from "./fuzz/bases.js";
import { checkStore, countsOf, expectedAfter } from "./fuzz/counted-store.js";
import { mutate } from "./fuzz/mutate.js";
import { streamOf } from "./support.js";

const ROUNDS = Number(process.env["HERMES_FUZZ_ROUNDS"] ?? 400);
const ROUNDS_PER_STORE = 100;
const MODES: readonly ImportMode[] = ["skip", "copy", "merge", "replace"];
const FOLDER_SHARE = 0.15;

/** What is brought in: one file, or a folder of some. */
type Source = Buffer | string;

interface Round {
  readonly source: Source;
  readonly options: ImportOptions;
  readonly random: TestRandom;
}

const COUNTED = ["found", "imported", "grown", "replaced", "skipped", "failed", "messages"] as const;
const countsIn = (report: ImportReport): unknown => COUNTED.map((name) => [name, report[name]]);

/** One import: what came in is what the report says, and what is refused is refused in our own words. */
async function importOne(store: StateStore, { source, options, random }: Round): Promise<"in" | "refused"> {
  const before = countsOf(store);
  const items: ImportItem[] = [];
  const run = (more: ImportOptions = {}): Promise<ImportReport> =>
    importInto(store, typeof source === "string" ? source : streamOf(source), { ...options, ...more });
  try {
    const planned = random.next() < 0.2 ? await run({ dryRun: true }) : undefined;
    expect(countsOf(store)).toEqual(before);
    const report = await run({ onItem: (item) => void items.push(item) });
    expect(countsOf(store)).toEqual(expectedAfter(before, items));
    for (const { code } of report.problems) expect(code).toMatch(/^STATE_E_IMPORT_/);
    if (planned && typeof source !== "string") expect(countsIn(planned)).toEqual(countsIn(report));
    if (options.mode === "skip") await expectNothingNew(store, run);
    return typeof source === "string" && report.imported + report.grown === 0 ? "refused" : "in";
  } catch (error) {
    if (!isStateError(error)) throw error;
    expect(error.code).toMatch(/^STATE_E_IMPORT_/);
    expect(countsOf(store)).toEqual(before);
    return "refused";
  }
}

/** The same again brings in nothing. */
async function expectNothingNew(store: StateStore, run: () => Promise<ImportReport>): Promise<void> {
  const before = countsOf(store);
  expect(await run()).toMatchObject({ imported: 0, messages: 0 });
  expect(countsOf(store)).toEqual(before);
}

/** A folder of mutated files, some of them beside the file they are made of. */
function folderOf(path: string, files: readonly Base[], random: TestRandom): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(join(path, "deeper"), { recursive: true });
  for (let count = random.int(2, 4); count > 0; count -= 1) {
    const { bytes } = random.pick(files);
    const place = join(path, random.pick([".", "deeper"]), `${random.hex(3)}${random.pick([".jsonl", ".json"])}`);
    writeFileSync(place, random.next() < 0.5 ? bytes : mutate(bytes, random));
  }
  return path;
}

function shown(source: Source): string {
  return typeof source === "string" ? source : source.toString("utf8").slice(0, 2000);
}

it(
  `POR-02 POR-05 takes ${ROUNDS} mutated files whole or not at all, and names what is wrong in its own words`,
  { timeout: 60_000 + ROUNDS * 200 },
  async () => {
    using home = tempHome();
    const random = testRandom(seedFor("mutated exports"));
    const files = await bases(home.file("source.db"));
    const outcomes = { in: 0, refused: 0, folders: 0 };
    for (let round = 0; round < ROUNDS;) {
      using store = openFor(home.file(`fuzz-${round}.db`));
      for (const end = Math.min(ROUNDS, round + ROUNDS_PER_STORE); round < end; round++) {
        const base = random.pick(files);
        const isFolder = random.next() < FOLDER_SHARE;
        const source = isFolder ? folderOf(home.file("folder"), files, random) : mutate(base.bytes, random);
        const from = !isFolder && random.next() < 0.5 ? base.from : "auto";
        const options: ImportOptions = { from, mode: random.pick(MODES), keepGoing: random.next() < 0.6 };
        try {
          outcomes[await importOne(store, { source, options, random })] += 1;
          outcomes.folders += isFolder ? 1 : 0;
        } catch (error) {
          const what = `round ${round}, ${JSON.stringify(options)}: ${shown(source)}`;
          throw new Error(what, { cause: error });
        }
      }
      checkStore(store);
    }
    process.stderr.write(`${ROUNDS} mutated files: ${JSON.stringify(outcomes)}\n`);
    expect(Math.min(outcomes.in, outcomes.refused)).toBeGreaterThan(ROUNDS / 20);
  },
);
