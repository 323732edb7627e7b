import { openStateStore, type Progress } from "@hermes/state-core";
import { buildOldStore, describePython, type OldFtsLayout, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { isOptimizeAvailable, optimizeStorage } from "../src/index.js";
import { countWords, expectWholeIndex, expectWords } from "./helpers/word-census.js";

const ROWS = 3000;

/** Words of several scripts, by the triggers of the file's own layout. */
const WORDS = `
  UPDATE messages SET content = 'plum' || (id % 71) || ' pear' || (id % 37) || ' cherry' || (id / 100)
    || CASE WHEN id % 9 = 0 THEN ' ' || substr('漓江山水甲天下桂林广西大别山项目的进展数据库连接池', 1 + id % 20, 4) ELSE '' END
  WHERE role IN ('user', 'assistant') AND content <> ''`;

const LAYOUTS: readonly (readonly [OldFtsLayout, number])[] = [
  ["content-only", 10],
  [0, 22],
  ["mixed", 26],
  [1, 26],
  [2, 29],
];

function oldFile(path: string, layout: OldFtsLayout, version: number): string {
  return buildOldStore(path, version, {
    journal: "delete",
    fts: layout,
    sessions: 2,
    messages: ROWS / 2,
    extra: [WORDS],
  });
}

describePython("optimizeStorage", () => {
  it.each(LAYOUTS)(
    "SEA-12 brings layout %s of 3,000 rows to the newest, with every word where it was",
    async (layout, version) => {
      using dir = tempDir("optimize");
      using store = openStateStore({ path: oldFile(dir.file("old.db"), layout, version) });
      expect(store.info().ftsLayout).toBe(layout);
      expect(isOptimizeAvailable(store)).toBe(true);
      const census = countWords(store);
      expectWords(store, census, "before", 20);
      const events: Progress[] = [];
      const report = await optimizeStorage(store, { onProgress: (event) => events.push(event) });
      expect(report).toMatchObject({ ok: true, vacuumed: true, layout: 3, upgraded: true });
      expect([...new Set(events.map(({ phase }) => phase))]).toEqual(["backfill", "teardown", "vacuum", "done"]);
      expectWholeIndex(store, "after");
      expectWords(store, census, "after");
      expect(isOptimizeAvailable(store)).toBe(false);
      const again = await optimizeStorage(store);
      expect(again).toMatchObject({ ok: true, vacuumed: null, upgraded: false });
    },
    60_000,
  );
});
