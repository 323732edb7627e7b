import { openStateStore, type StateStore } from "@hermes/state-core";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchMessages } from "../src/index.js";
import { tracedStore, type TracedStatement } from "./helpers/traced-store.js";

/** What stands between SELECT and the first FROM of a statement. */
function selected(sql: string): string {
  return /^\s*(?:WITH[\s\S]*?\)\s*)?SELECT([\s\S]*?)\sFROM\s/.exec(sql)?.[1] ?? sql;
}

function readsBodies({ sql }: TracedStatement): boolean {
  return /\bcontent\b/.test(selected(sql));
}

describe("what a search reads", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("cost");
    store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    store.sessions.create({ id: "s1", source: "cli" });
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  it("SEA-05 asks an index for ids only, and reads the text of little more than the page", () => {
    const messages = Array.from({ length: 3000 }, (_, index) => ({ role: "user", content: `common ${String(index)} 数据库连接` }));
    store.messages.appendBatch("s1", messages);
    for (const [query, sort] of [["common", "rank"], ["数据库连接", "rank"], ["common*", "newest"], ["common", "oldest"]] as const) {
      const traced = tracedStore(store);
      const { route, hits } = searchMessages(traced, query, { sort, limit: 10 });
      expect([route === "scan", hits.length], query).toEqual([false, 10]);
      const asked = traced.statements.filter(({ sql }) => /\bMATCH\b/.test(sql));
      expect(asked.length, query).toBeGreaterThan(0);
      expect(asked.filter(readsBodies), query).toEqual([]);
      const bodies = traced.statements.filter(readsBodies).reduce((rows, statement) => rows + statement.rows, 0);
      expect(bodies, query).toBeLessThanOrEqual(80);
    }
  });

  it("SEA-05 hands fts5 a rowid as an INTEGER, the only one it seeks: numbers are bound as REAL", () => {
    const messages = Array.from({ length: 1500 }, (_, index) => ({ role: "user", content: `common ${String(index)} 数据库连接` }));
    store.messages.appendBatch("s1", messages);
    const traced = tracedStore(store);
    for (const sort of ["rank", "newest", "oldest"] as const) {
      for (const query of ["common", "数据库连接", "common*"]) searchMessages(traced, query, { sort, limit: 10, offset: 700 });
    }
    const bound = traced.statements.filter(({ sql }) => /\bMATCH\b/.test(sql) && /\browid\s*[<>=]+\s*\?/.test(sql));
    expect(bound).toEqual([]);
    expect(traced.statements.some(({ sql }) => /\browid\s*[<>]\s*CAST/.test(sql))).toBe(true);
  });

  it("SEA-05 reads no more of a 20 MB tool row than its indexed prefix", () => {
    store.messages.append("s1", { role: "tool", content: `needle ${"lorem ipsum 中 ".repeat(1_400_000)}` });
    store.messages.append("s1", { role: "user", content: "needle 数据库" });
    for (const query of ["needle", "lorem needle", "中", "数据库 OR 中", "lorem NOT absent"]) {
      const traced = tracedStore(store);
      expect(searchMessages(traced, query, { context: true }).hits.length, query).toBeGreaterThan(0);
      const largest = Math.max(...traced.statements.map((statement) => statement.largestCell));
      expect(largest, query).toBeLessThanOrEqual(4 * 8193);
    }
  });

  it("SEA-05 reads a long message only when an index or a look inside the engine names it", () => {
    store.messages.append("s1", { role: "user", content: `needle ${"lorem ipsum ".repeat(100_000)}` });
    store.messages.append("s1", { role: "user", content: "haystack" });
    const traced = tracedStore(store);
    expect(searchMessages(traced, "haystack").hits).toHaveLength(1);
    expect(Math.max(...traced.statements.map((statement) => statement.largestCell))).toBeLessThan(10_000);
  });

  it("SEA-05 reads no row's text by any statement that names every column", () => {
    const traced = tracedStore(store);
    store.messages.append("s1", { role: "user", content: "needle 数据库连接" });
    for (const query of ["needle", "数据库连接", "🚀"]) searchMessages(traced, query, { context: true });
    expect(traced.statements.filter(({ sql }) => /SELECT\s+(\w+\.)?\*/.test(sql))).toEqual([]);
  });
});
