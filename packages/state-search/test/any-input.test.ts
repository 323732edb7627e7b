import { openStateStore, type StateStore } from "@hermes/state-core";
import { seedFor, type TempDir, tempDir, testRandom } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseQuery, searchMessages, type SearchableStore } from "../src/index.js";
import { INDEX_STATES } from "./helpers/index-states.js";
import { tracedStore } from "./helpers/traced-store.js";
import { DOCUMENTS } from "./query-table.js";

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const PIECES = [
  ...PRINTABLE,
  ...PRINTABLE.filter((character) => /[^a-z0-9]/i.test(character)),
  ..."AND OR NOT NEAR and deploy docker 修改 服务端 数据库 🚀 é \ud83d \0 \n \t 。 “ ” — e\u0301 ｶ 한".split(" "),
  ...[" ", " ", " ", "NEAR(", "NEAR/3", '"', "*", "(", ")", " AND ", " OR ", " NOT "],
];

/** Texts that a careless scanner takes long for. */
const HARD = [
  '"'.repeat(2048),
  "*".repeat(2048),
  "\0".repeat(2048),
  "(".repeat(2048),
  ")".repeat(2048),
  "((a) OR ".repeat(300),
  "(a (b OR ".repeat(250),
  "a NOT (b OR (c ".repeat(150),
  "NEAR(".repeat(400),
  "NEAR(a, ".repeat(300),
  "NOT ".repeat(512),
  "AND OR ".repeat(300),
  '"a" '.repeat(512),
  '"a b'.repeat(512),
  "a OR ".repeat(500),
  Array.from({ length: 500 }, (_, index) => `w${String(index)}`).join(" OR "),
  Array.from({ length: 500 }, (_, index) => `w${String(index)}`).join(" "),
  Array.from({ length: 500 }, (_, index) => `词${String(index)}`).join(" OR "),
  "a-".repeat(1024),
  "中".repeat(3000),
  "中a".repeat(1024),
  "🚀".repeat(2048),
  "e\u0301".repeat(1024),
  "\ud83d".repeat(2048),
  "x".repeat(100_000),
  "word ".repeat(100_000),
];

/** Repeated, with a number in the place of #, a text of any length. */
const GROWING = ["(", '"', "a OR ", "w# OR ", "w# ", "词# OR ", "词", '"a b#" ', "NOT ", "(a# OR (", "a-", "🚀 ", "a#* ", "NEAR(a, "];

describe("any input", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeAll(() => {
    dir = tempDir("any-input");
    store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "cli" });
    store.messages.appendBatch("s1", Object.values(DOCUMENTS).map((content) => ({ role: "user", content })));
  });

  afterAll(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  /** Searches and counts what went wrong out of sight: engine errors, and answers that an index refused to give. */
  function errorCounter(searched: SearchableStore): { search(text: string): number; errors(): unknown[] } {
    const traced = tracedStore(searched);
    let refused = 0;
    return {
      search(text) {
        const { hits, readBecause } = searchMessages(traced, text, { limit: 3 });
        if (readBecause === "unreadable-index") refused += 1;
        return hits.length;
      },
      errors: () => [refused, ...traced.statements.filter(({ error }) => error !== undefined)],
    };
  }

  it("SEA-01 SEA-02 throws for none of 10,000 random strings, and the engine refuses no statement", () => {
    const random = testRandom(seedFor("any input"));
    const counted = errorCounter(store);
    let hits = 0;
    for (let round = 0; round < 10_000; round++) {
      const text = Array.from({ length: random.int(1, 14) }, () => random.pick(PIECES)).join("");
      try {
        hits += counted.search(text);
      } catch (error) {
        throw new Error(`search for ${JSON.stringify(text)} failed`, { cause: error });
      }
    }
    expect(counted.errors()).toEqual([0]);
    // Random strings do find something, so the statements did run.
    expect(hits).toBeGreaterThan(1000);
  }, 120_000);

  it("SEA-01 counts an engine error that a search survives: the counter is no ornament", () => {
    const failing: SearchableStore = {
      info: () => store.info(),
      read: (fn) =>
        store.read((r) =>
          fn({
            ...r,
            all: (sql, params) => r.all(sql, params),
            get: (sql, params) => r.get(sql, params),
            tuples: (sql, params) => {
              if (sql.includes("MATCH")) throw Object.assign(new Error("fts5: syntax error"), { code: "SQLITE_ERROR" });
              return r.tuples(sql, params);
            },
          }),
        ),
    };
    const counted = errorCounter(failing);
    expect(counted.search("docker")).toBe(1);
    expect(counted.errors()).toMatchObject([1, { error: { code: "SQLITE_ERROR" } }]);
  });

  it("SEA-01 SEA-02 takes hard strings on every route without an engine error", () => {
    const states = ["layout 3", "layout 0", "stale", "backfill at 70 %"];
    for (const state of INDEX_STATES.filter(({ name }) => states.includes(name))) {
      const traced = tracedStore(state.enter(store));
      for (const text of HARD) searchMessages(traced, text);
      expect(traced.statements.filter(({ error }) => error !== undefined), state.name).toEqual([]);
    }
  }, 60_000);

  it("SEA-02 parses hard strings in time that grows with their length", () => {
    for (const text of HARD) parseQuery(text);
    const before = process.cpuUsage();
    for (const text of HARD) parseQuery(text);
    const { user, system } = process.cpuUsage(before);
    // Microseconds of work, not of waiting. A scan that is quadratic in any of them takes seconds.
    expect(user + system).toBeLessThan(400_000);
  });

  it("SEA-02 compiles statements whose number and size grow with the length of a hard string, and stop at the cap", () => {
    /** Statements, and characters of SQL and parameters, that a text of a length costs. */
    const costOf = (piece: string, length: number): readonly [statements: number, size: number] => {
      let size = 0;
      const traced = tracedStore(store, (sql, params) => (size += sql.length + JSON.stringify(params).length));
      const text = Array.from({ length }, (_, index) => piece.replace("#", String(index))).join("");
      searchMessages(traced, text.slice(0, length), { limit: 3 });
      return [traced.statements.length, size];
    };
    for (const piece of GROWING) {
      const [fewest, smallest] = costOf(piece, 64);
      for (const length of [128, 256, 512, 1024, 2048]) {
        const [statements, size] = costOf(piece, length);
        expect(statements, `${piece} ${String(length)}`).toBeLessThanOrEqual(fewest + 1);
        expect(size, `${piece} ${String(length)}`).toBeLessThanOrEqual((smallest * length) / 32 + 4000);
      }
      expect(costOf(piece, 100_000), piece).toEqual(costOf(piece, 2100));
    }
  }, 60_000);

  it("R29 SEA-02 answers nothing, without an error, for text that says nothing", () => {
    for (const text of ["", null, '"'.repeat(2048), "*".repeat(2048), "\0".repeat(2048), "   ", "( ) ( )", "。、"]) {
      expect(searchMessages(store, text)).toMatchObject({ hits: [], total: 0, route: "empty", complete: true });
    }
    expect(() => searchMessages(store, 7 as never)).toThrow(TypeError);
  });
});
