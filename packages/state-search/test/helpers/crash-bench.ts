import { copyFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openStateStore, type StateStore } from "@hermes/state-core";
import { builtPackage, runCrashMatrix, type TempDir, tempDir } from "@hermes/testkit";
import { expect } from "vitest";
import { optimizeStorage } from "../../src/index.js";
import { buildLegacyFile } from "./legacy-file.js";
import { type Census, countWords, expectNotStampedEarly, expectWholeIndex, expectWords } from "./word-census.js";

const ROWS = 3000;
/**
 * How many statements a matrix dies at, unless the first, second and last of its distinct ones are more;
 * HERMES_CRASH_POINTS=0 takes every statement that writes.
 */
const MOST = Number(process.env["HERMES_CRASH_POINTS"] ?? 24) || Infinity;
/** The whole census takes a second: after each kill a tenth of the words is asked, another tenth each time. */
const SHARE = 10;

/** Milliseconds that one matrix may take. */
export const MATRIX_TIMEOUT: number = MOST === Infinity ? 3_600_000 : 900_000;

const script = fileURLToPath(new URL("../children/index-life.mjs", import.meta.url));

/** A store that is open with fewer waits for the disk: the file survives a kill, if not a power cut. */
export const openFast = (path: string): StateStore => openStateStore({ path, durability: "normal" });

/** A legacy store of 3,000 rows, what its words are, and the means to kill whatever works on it. */
export interface CrashBench extends Disposable {
  readonly legacy: string;
  /** A copy of the legacy store. */
  copy(name: string): string;
  /** A copy whose index is whole and of the newest layout. */
  settled(name: string): Promise<string>;
  /**
   * Kills one scenario everywhere; each time `finish` must bring the store to a whole index of the same words.
   *
   * @param scenario - See `children/index-life.mjs`.
   */
  kill(scenario: string, pristine: string, finish: (path: string) => Promise<void>): Promise<void>;
}

/** Builds the store and counts its words; `python3` and the built packages are needed. */
export function crashBench(): CrashBench {
  builtPackage("state-search");
  const dir: TempDir = tempDir("crash-matrix");
  const legacy = buildLegacyFile(dir.file("legacy.db"), ROWS);
  let census: Census;
  {
    using store = openStateStore({ path: legacy });
    expect(store.info().ftsLayout).toBe(0);
    census = countWords(store);
    expectWords(store, census, "before");
  }
  const copy = (name: string): string => {
    copyFileSync(legacy, dir.file(name));
    return dir.file(name);
  };
  return {
    legacy,
    copy,
    async settled(name) {
      const path = copy(name);
      using store = openFast(path);
      expect(await optimizeStorage(store, { pauseMs: 0 })).toMatchObject({ ok: true });
      return path;
    },
    async kill(scenario, pristine, finish) {
      expect(existsSync(`${pristine}-wal`), "the pristine file is closed").toBe(false);
      let turn = 0;
      const verify = async (path: string, context: string): Promise<void> => {
        turn += 1;
        expectSoundBefore(path, census, context, turn);
        await finish(path);
        using store = openFast(path);
        expectWholeIndex(store, context);
        expectWords(store, census, context, turn === 1 ? 1 : SHARE, turn);
      };
      const report = await runCrashMatrix({ pristine, script, args: [scenario], most: MOST, verify });
      expect(report.points).toBeGreaterThanOrEqual(Math.min(report.distinct / 2, 20));
      console.info(`${scenario}: killed at ${String(report.points)} of ${String(report.statements)} statements`);
    },
    [Symbol.dispose]: () => {
      dir[Symbol.dispose]();
    },
  };
}

/** What a killed run left, before anybody goes on: no claim that is not true, and every word is found. */
function expectSoundBefore(path: string, census: Census, context: string, turn: number): void {
  using reader = openStateStore({ path, mode: "read" });
  // A stamp from before the index was taken off says nothing of now; what counts is that no new one is given.
  if (reader.meta.get("fts_stale") === undefined) reader.read((r) => expectNotStampedEarly(r, context));
  expectWords(reader, census, `${context}, before the next run`, 2 * SHARE, turn);
}
