import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { seedFor, tempDir, testEnvironment, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { recoverStore } from "../../src/index.js";
import type { RecoveryReport } from "../../src/index.js";
import { damageCopy, type DamagedFile } from "./damage-round.js";
import { messagePages, type MessagePages } from "./page-oracle.js";
import { makeSampleStore, readRows } from "./sample-store.js";

const ROUNDS = testEnvironment().fuzzRounds ?? 25;
const MOST_MEMORY = 1_200_000_000;

type Row = Record<string, unknown>;

interface Oracle {
  readonly bytes: Buffer;
  readonly pages: MessagePages;
  readonly messages: ReadonlyMap<unknown, Row>;
  readonly sessions: ReadonlyMap<unknown, Row>;
  /** Messages that were deleted before: they may come back only where the list of free pages is damaged. */
  readonly deleted: ReadonlyMap<unknown, Row>;
}

function makeOracle(path: string): Oracle {
  makeSampleStore(path, { sessions: 30, messages: 30 });
  const before = readRows(path, "messages", "id");
  const database = new Database(path);
  database.pragma("foreign_keys=OFF");
  database.exec("DELETE FROM messages WHERE id BETWEEN 301 AND 420");
  database.exec("DELETE FROM messages WHERE id % 37 = 0");
  database.close();
  const messages = readRows(path, "messages", "id");
  const deleted = new Map([...before].filter(([id]) => !messages.has(id)));
  const bytes = readFileSync(path);
  return { bytes, pages: messagePages(bytes), messages, sessions: readRows(path, "sessions", "id"), deleted };
}

function isSame(a: Row | undefined, b: Row | undefined): boolean {
  return a !== undefined && b !== undefined && Object.keys(a).every((name) => Object.is(a[name], b[name]));
}

interface Tally {
  untouched: number;
  found: number;
  altered: number;
  declared: number;
  resurrected: number;
  failed: number;
}

/** What is wrong with a recovered message; undefined when it is right, or could not be known to be wrong. */
function judge(
  id: unknown,
  row: Row,
  oracle: Oracle,
  damaged: DamagedFile,
  report: RecoveryReport,
  tally: Tally,
): string | undefined {
  const original = oracle.messages.get(id);
  if (isSame(original, row)) return undefined;
  if (report.partialRows.some(({ table, rowid }) => table === "messages" && rowid === id)) {
    tally.declared += 1;
    return undefined;
  }
  const touched = original && oracle.pages.get(id as number)?.some((page) => damaged.touched.has(page));
  if (touched === true && damaged.flipped) {
    tally.altered += 1;
    return undefined;
  }
  if (isSame(oracle.deleted.get(id), row) && report.bestEffort) {
    tally.resurrected += 1;
    return undefined;
  }
  // A changed key gives a row of its own; only single changed bytes can do that.
  return damaged.flipped && original === undefined
    ? ((tally.altered += 1), undefined)
    : `message ${String(id)} is invented`;
}

function faultsOf(
  output: string,
  oracle: Oracle,
  damaged: DamagedFile,
  report: RecoveryReport,
  tally: Tally,
): string[] {
  const found = readRows(output, "messages", "id");
  const faults: string[] = [];
  for (const [id, pages] of oracle.pages) {
    if (pages.some((page) => damaged.touched.has(page))) continue;
    tally.untouched += 1;
    if (isSame(oracle.messages.get(id), found.get(id))) tally.found += 1;
    else faults.push(`message ${id} on page ${pages[0]} is ${found.has(id) ? "altered" : "lost"}`);
  }
  for (const [id, row] of found) {
    const fault = judge(id, row, oracle, damaged, report, tally);
    if (fault !== undefined) faults.push(fault);
  }
  for (const [id, row] of readRows(output, "sessions", "id")) {
    const original = oracle.sessions.get(id);
    const placeholder = row["source"] === "recovered";
    if (
      !placeholder &&
      !damaged.flipped &&
      row["started_at"] !== original?.["started_at"] &&
      report.partialRows.length === 0
    )
      faults.push(`session ${String(id)} is invented`);
  }
  if (report.counts["messages"] !== found.size) faults.push("the report counts other messages than there are");
  return faults;
}

async function round(
  folder: ReturnType<typeof tempDir>,
  oracle: Oracle,
  random: TestRandom,
  tally: Tally,
): Promise<string[]> {
  const damaged = damageCopy(oracle.bytes, random);
  const [source, output] = [folder.file("damaged.db"), folder.file("output.db")];
  writeFileSync(source, damaged.bytes);
  try {
    const report = await recoverStore({ source, output, allowPartial: true });
    if (report.status === "failed") {
      tally.failed += 1;
      return [`failed: ${report.errors.join("; ")} (${damaged.story})`];
    }
    return faultsOf(output, oracle, damaged, report, tally)
      .slice(0, 5)
      .map((fault) => `${fault} (${damaged.story})`);
  } finally {
    for (const path of [source, output, `${output}.recovery.json`]) rmSync(path, { force: true });
  }
}

it(
  `REP-09 gets back every message whose pages were untouched and invents none: ${ROUNDS} rounds of random damage`,
  async () => {
    using folder = tempDir("fuzz");
    const random = testRandom(seedFor("random damage"));
    const oracle = makeOracle(folder.file("state.db"));
    const tally: Tally = { untouched: 0, found: 0, altered: 0, declared: 0, resurrected: 0, failed: 0 };
    const faults: string[] = [];
    for (let number = 1; number <= ROUNDS; number += 1) {
      faults.push(...(await round(folder, oracle, random, tally)).map((fault) => `round ${number}: ${fault}`));
    }
    const memory = process.memoryUsage().rss;
    process.stderr.write(
      `${ROUNDS} rounds of damage: ${JSON.stringify({ ...tally, memoryMb: Math.round(memory / 1e6) })}\n`,
    );
    expect(faults).toEqual([]);
    expect(tally.found).toBe(tally.untouched);
    expect(tally.untouched).toBeGreaterThan(ROUNDS * 100);
    expect(memory).toBeLessThan(MOST_MEMORY);
  },
  ROUNDS * 20_000,
);
