import { copyFileSync } from "node:fs";
import { openStateStore, type StateStore } from "@hermes/state-core";
import { buildOldStore, describePython, type OldFtsLayout, tempDir, type TempDir } from "@hermes/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { optimizeStorage } from "../src/index.js";
import { FaultyDriver } from "./helpers/hooked-driver.js";
import {
  type Census,
  countWords,
  expectNotStampedEarly,
  expectWholeIndex,
  expectWords,
} from "./helpers/word-census.js";

const WORDS = `
  UPDATE messages SET content = 'plum' || (id % 7) || ' cherry' || (id / 100) || ' 大别山项目' || (id % 3)
  WHERE role IN ('user', 'assistant') AND content <> ''`;

const STAMP = "SELECT value FROM state_meta WHERE key = 'fts_storage_version'";

/** Nobody else has the file open; the second error is one of the engine, which the store looks at more closely. */
const ERRORS: readonly (() => Error)[] = [
  () => new Error("injected"),
  () => Object.assign(new Error("database or disk is full (injected)"), { code: "SQLITE_FULL" }),
];

describePython("optimizeStorage that fails at a statement", () => {
  let dir: TempDir;
  let runs = 0;

  beforeAll(() => {
    dir = tempDir("optimize-faults");
  });
  afterAll(() => {
    dir[Symbol.dispose]();
  });

  function build(layout: OldFtsLayout, version: number, messages: number): string {
    const path = dir.file(`${String(layout)}-${messages}.db`);
    return buildOldStore(path, version, { journal: "delete", fts: layout, sessions: 1, messages, extra: [WORDS] });
  }

  /** Fails one run at a statement, then lets the same handle go on. @returns False behind the last statement. */
  async function failOnce(pristine: string, statement: number, census: Census): Promise<boolean> {
    const path = dir.file(`run-${String((runs += 1))}.db`);
    copyFileSync(pristine, path);
    const faulty = new FaultyDriver(ERRORS[statement % ERRORS.length]);
    using store = openStateStore({ path, driver: faulty.driver, durability: "normal" });
    faulty.failAt(statement);
    const where = `failed at statement ${String(statement)}`;
    const failed = await optimizeStorage(store, { vacuum: false, pauseMs: 0 }).then(
      () => false,
      (error: unknown) => {
        expect(String((error as Error).cause ?? error), where).toContain("injected");
        return true;
      },
    );
    expect(failed, where).toBe(!faulty.survived);
    faulty.failAt(Infinity);
    if (failed) {
      store.read((r) => {
        // Layouts 1 and 2 have stamps of their own, which are true until the layout is replaced.
        if (r.get<{ value: string }>(STAMP)?.value === "3") expectNotStampedEarly(r, where);
      });
      expectWords(store, census, where, 7);
      expect(await optimizeStorage(store, { vacuum: false, pauseMs: 0 }), where).toMatchObject({ ok: true, layout: 3 });
    }
    expectWholeIndex(store, where);
    expectWords(store, census, where, 7);
    return failed;
  }

  function censusOf(path: string): Census {
    const copy = dir.file("census.db");
    copyFileSync(path, copy);
    using store: StateStore = openStateStore({ path: copy, mode: "read" });
    return countWords(store);
  }

  it.each([
    [0, 22, 2],
    ["content-only", 10, 7],
    ["mixed", 26, 7],
    [1, 26, 7],
    [2, 29, 7],
    [3, 30, 1],
  ] as const)(
    "SEA-12 layout %s: whatever statement fails, nothing is stamped early and the next run completes",
    async (layout, version, every) => {
      const pristine = build(layout, version, 40);
      const census = censusOf(pristine);
      let statement = 1;
      while (await failOnce(pristine, statement, census)) statement += every;
      expect(statement).toBeGreaterThan(layout === 3 ? 5 : 80);
    },
    240_000,
  );
});
