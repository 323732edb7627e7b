import { openStateStore, type StateStore } from "@hermes/state-core";
import { detachFts, stepBackfill, type SqliteCapabilities, type Writer } from "@hermes/state-schema";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INDEX_STATES, pauseBackfill } from "./helpers/index-states.js";
import { type Mutation, mutatedWriter, replacing } from "./helpers/mutated-writer.js";
import { searchIds } from "./helpers/search-ids.js";
import { countWords, expectWords } from "./helpers/word-census.js";

const ROWS = 1200;
const INTEGRITY = ["messages_fts", "messages_fts_trigram"].map(
  (table) => `INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`,
);
const NONE: Mutation = (statement) => statement;

describe("a planted violation turns a check red", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("mutations");
    store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    store.sessions.create({ id: "s", source: "cli" });
    const rows = Array.from({ length: ROWS }, (_, n) => ({
      role: "user",
      content: `word ${String(n % 9)} 数据库连接`,
    }));
    store.messages.appendBatch("s", rows);
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  /** Index against rows, as the engine sees it, and as a search does. */
  function checkIndex(): void {
    store.write("test: check", (w) => INTEGRITY.forEach((sql) => w.run(sql)));
    expectWords(store, countWords(store), "check");
  }

  function isRed(): boolean {
    try {
      checkIndex();
      return false;
    } catch {
      // Red is what was asked for: an engine error, or a failed expectation.
      return true;
    }
  }

  const step = (mutate: Mutation, capabilities: SqliteCapabilities = store.info().capabilities): string =>
    store.write("test: step", (w) => stepBackfill(mutatedWriter(w, mutate), capabilities));

  function runAll(mutate: Mutation): void {
    while (step(mutate) === "more");
  }

  it("SEA-08 no mutation, no red: the checks themselves", () => {
    pauseBackfill(store, 0);
    runAll(NONE);
    expect(isRed()).toBe(false);
  });

  it("SEA-08 without the claim re-read two runners index a chunk twice", () => {
    pauseBackfill(store, 0);
    step(NONE);
    /** The second runner believes what it read before it had the write lock. */
    const remembered: Mutation = ({ sql, params }) => ({
      sql:
        sql.includes("state_meta") && sql.includes("SELECT key")
          ? "SELECT 'fts_rebuild_high_water' AS key, 1200 AS number UNION ALL SELECT 'fts_rebuild_progress', 0"
          : sql,
      params,
    });
    expect(step(remembered)).toBe("more");
    runAll(NONE);
    expect(isRed()).toBe(true);
  });

  it("SEA-08 without the anti-join the sweep around the high water indexes rows twice", () => {
    pauseBackfill(store, 0);
    const planted = replacing(/AND NOT EXISTS[\s\S]*\)/, "");
    runAll(planted.mutate);
    expect(planted.times).toBeGreaterThan(0);
    expect(isRed()).toBe(true);
  });

  it("SEA-08 without the trigram gate a finish fails where the tokenizer is absent, and its markers stay", () => {
    const noTokenizer: Mutation = ({ sql, params }) => {
      if (sql.includes("INTO messages_fts_trigram")) throw new Error("no such tokenizer: trigram");
      return { sql, params };
    };
    pauseBackfill(store, 1000);
    expect(step(noTokenizer, { fts5: true, trigram: true })).not.toBe("done");
    expect(store.meta.get("fts_rebuild_high_water")).toBe("1200");
    pauseBackfill(store, 1000);
    expect(step(noTokenizer, { fts5: true, trigram: false })).toBe("done");
    expect(store.meta.get("fts_rebuild_high_water")).toBeUndefined();
  });

  /** Detaches, dies in the middle, and goes on: what another process does with the file then. */
  function detachAndDie(detach: (w: Writer) => void): void {
    store.write("test: detach", detach);
    store.messages.append("s", { role: "user", content: "unheard 没有人听见" });
  }

  it("SEA-11 COR-09 without the stale marker in the transaction of the triggers, a gap in the index goes unnoticed", () => {
    const healthy = INDEX_STATES[0]!;
    detachAndDie(detachFts);
    expect([searchIds(store, "unheard"), searchIds(store, "没有人听见")]).toEqual([[ROWS + 1], [ROWS + 1]]);
    expect(store.meta.get("fts_stale")).toBe("1");
    healthy.enter(store);
    // The marker comes in a later transaction, and the process dies before it.
    const late: Mutation = (statement) => (statement.params.includes("fts_stale") ? undefined : statement);
    detachAndDie((w) => detachFts(mutatedWriter(w, late)));
    expect(store.meta.get("fts_stale")).toBeUndefined();
    expect(isRed()).toBe(true);
  });

  it("SEA-11 COR-09 without the drop of the triggers in the transaction of the marker, writes go on into a wrecked index", () => {
    const late: Mutation = (statement) => (statement.sql.startsWith("DROP TRIGGER") ? undefined : statement);
    store.write("test: detach", (w) => detachFts(mutatedWriter(w, late)));
    const live = store.read((r) =>
      r.all("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%'"),
    );
    expect(live).not.toEqual([]);
  });
});
