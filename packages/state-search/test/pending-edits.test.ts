import { openStateStore, type StateStore } from "@hermes/state-core";
import { stepBackfill, type Writer } from "@hermes/state-schema";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseQuery } from "../src/index.js";
import { pauseBackfill, relayout } from "./helpers/index-states.js";
import { judgedIds } from "./helpers/reference.js";
import { searchIds } from "./helpers/search-ids.js";
import { countWords, expectWholeIndex, expectWords } from "./helpers/word-census.js";

/** Rows when the backfill began: the high water. */
const H = 620;
const CHANGES: Readonly<Record<string, (w: Writer, id: number) => void>> = {
  "is edited": (w, id) => w.run("UPDATE messages SET content = 'changed 改变内容' WHERE id = ?", [id]),
  "is edited twice and put back": (w, id) => {
    const before = w.get<{ content: string }>("SELECT content FROM messages WHERE id = ?", [id])?.content ?? "";
    w.run("UPDATE messages SET content = 'changed' WHERE id = ?", [id]);
    w.run("UPDATE messages SET content = ? WHERE id = ?", [before, id]);
  },
  "is deleted": (w, id) => w.run("DELETE FROM messages WHERE id = ?", [id]),
  "becomes output of a tool": (w, id) => w.run("UPDATE messages SET role = 'tool' WHERE id = ?", [id]),
  "no longer is output of a tool": (w, id) => w.run("UPDATE messages SET role = 'user' WHERE id = ?", [id]),
  "is rewound": (w, id) => w.run("UPDATE messages SET active = 0 WHERE id = ?", [id]),
};
const QUERIES = ["early NOT changed", "改变内容 OR newer OR 平常内容"];

describe("rows that change while a backfill is pending", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("pending-edits");
    store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    store.sessions.create({ id: "s", source: "cli" });
    const rows = Array.from({ length: H }, (_, n) => ({
      role: n % 5 === 0 ? "tool" : "user",
      content: `early ${String(n + 1)} 平常内容`,
    }));
    store.messages.appendBatch("s", rows);
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  function expectRight(where: string): void {
    for (const query of QUERIES) {
      const { root } = parseQuery(query);
      expect(searchIds(store, query, { fields: ["id"] }), `${where}: ${query}`).toEqual(
        root ? judgedIds(store, root) : [],
      );
    }
  }

  const step = (): string => store.write("test: step", (w) => stepBackfill(w, store.info().capabilities));

  for (const [what, change] of Object.entries(CHANGES)) {
    it(`SEA-08 a row that ${what} at P, P+1, H and H+1 is found as it is, before and after the finish`, () => {
      for (const progress of [0, 500, H]) {
        relayout(store, 3);
        pauseBackfill(store, progress);
        const above = store.messages.append("s", { role: "user", content: "newer 平常内容" }).id;
        store.messages.append("s", { role: "tool", content: "newer 平常内容" });
        const high = above - 1;
        for (const id of [progress, progress + 1, high, high + 1]) {
          store.write("test: change", (w) => change(w, id));
          expectRight(`P ${String(progress)}, changed ${String(id)}`);
        }
        step();
        store.write("test: change between steps", (w) => change(w, progress + 2));
        expectRight(`P ${String(progress)}, one step on`);
        while (step() === "more");
        expectRight(`P ${String(progress)}, finished`);
        store.write("test: what a settled index has", (w) =>
          w.run("INSERT OR REPLACE INTO state_meta (key, value) VALUES ('fts_storage_version', '3')"),
        );
        expectWholeIndex(store, `P ${String(progress)}`);
      }
      expectWords(store, countWords(store), what, 40);
    }, 60_000);
  }

  it("SEA-08 SEA-12 finishes an empty store, and one whose rows went away meanwhile", () => {
    pauseBackfill(store, 500);
    store.write("test: empty the store", (w) => w.exec("DELETE FROM messages"));
    while (step() === "more");
    expect(store.meta.get("fts_rebuild_high_water")).toBeUndefined();
    pauseBackfill(store, 0);
    expect(store.meta.get("fts_rebuild_high_water")).toBe("0");
    expect(step()).toBe("done");
    expect(store.meta.get("fts_rebuild_progress")).toBeUndefined();
    const { id } = store.messages.append("s", { role: "user", content: "newer" });
    expect(searchIds(store, "newer")).toEqual([id]);
  });
});
