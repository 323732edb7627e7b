import { openStateStore, type StateStore } from "@hermes/state-core";
import { copyPeerFile, describePeer, peerExpected, type TempDir, tempDir } from "@hermes/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseQuery, searchMessages, type SearchOptions } from "../src/index.js";
import { judgedIds } from "./helpers/reference.js";
import { searchIds } from "./helpers/search-ids.js";

interface PeerCase {
  readonly q: string;
  readonly args: {
    readonly sort?: "newest";
    readonly include_inactive?: boolean;
    readonly role_filter?: string[];
    readonly source_filter?: string[];
  };
  readonly hits: readonly (readonly [string, number])[];
}

interface OldExpected {
  readonly searches: readonly { readonly query: string }[];
}

/** Asked of every old file besides what its own reader was asked. */
const MORE_QUERIES = ["mid", "nul", "json", "text", "修改", "youer", "数据库修复", "大别山 项目", "a*", "the NOT error", "🚀", "é*"];

/** Where this store deliberately answers otherwise than the peer that wrote the file. */
const DIFFERENCES: ReadonlyMap<string, { readonly finds: readonly number[]; readonly because: string }> = new Map([
  [
    "été",
    { finds: [251], because: "the word stands in the arguments of a tool call, stored in escapes (P08, SEA-17)" },
  ],
  ["tang", { finds: [], because: "a term equals a word: tang is not found in tangelo (SEA-17)" }],
]);

function optionsOf({ sort, include_inactive, role_filter, source_filter }: PeerCase["args"]): SearchOptions {
  return {
    ...(sort && { sort }),
    ...(include_inactive !== undefined && { includeInactive: include_inactive }),
    ...(role_filter && { roles: role_filter }),
    ...(source_filter && { sources: source_filter }),
  };
}

function sorted(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}

describePeer("searches of a real peer", () => {
  let dir: TempDir;
  let store: StateStore;
  let cases: readonly PeerCase[];

  beforeAll(() => {
    dir = tempDir("peer-search");
    const expected = peerExpected<{ search: PeerCase[] }>("peer-small.db");
    cases = expected.search;
    store = openStateStore({ path: copyPeerFile("peer-small.db", dir) });
  });

  afterAll(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  it("SEA-01 SEA-03 SEA-04 finds the ids the peer found in 68 cases, but for the differences named here", () => {
    expect(cases).toHaveLength(68);
    const wrong: string[] = [];
    for (const { q, args, hits } of cases) {
      const wanted = sorted(DIFFERENCES.get(q)?.finds ?? hits.map(([, id]) => id));
      const found = sorted(searchMessages(store, q, optionsOf(args)).hits.map((hit) => hit.id));
      if (found.join() !== wanted.join()) wrong.push(`${q} ${JSON.stringify(args)}: ${found.join()}, not ${wanted.join()}`);
    }
    expect(wrong).toEqual([]);
  });

  it("SEA-04 ranks the hits of the word index as the peer ranked them", () => {
    const ranked = cases.filter(({ q, args }) => args.sort === undefined && !DIFFERENCES.has(q));
    let compared = 0;
    for (const { q, args, hits } of ranked) {
      const answer = searchMessages(store, q, optionsOf(args));
      if (answer.route !== "word") continue;
      compared++;
      expect(answer.hits.map((hit) => [hit.sessionId, hit.id]), q).toEqual(hits);
    }
    expect(compared).toBeGreaterThan(40);
  });

  it("SEA-17 needs every difference it names", () => {
    const differing = cases.filter(({ q, hits }) => {
      const finds = DIFFERENCES.get(q)?.finds;
      return finds !== undefined && sorted(finds).join() !== sorted(hits.map(([, id]) => id)).join();
    });
    expect(new Set(differing.map(({ q }) => q)).size).toBe(DIFFERENCES.size);
  });
});

const OLD_FILES = [
  ..."v02 v04 v06 v08 v11 v14 v16 v20 v22 v23 v26 v30-hybrid".split(" "),
  ..."v26-from-v22 v26-from-v04-direct v26-from-v04-chain v26-rebuild-pending".split(" "),
];

describePeer("files of real peers of many ages", () => {
  for (const name of OLD_FILES) {
    it(`SEA-01 SCH-05 searches peer-${name}.db, opened for reading and for writing, as the predicate decides`, () => {
      const expected = peerExpected<OldExpected>(`peer-${name}.db`);
      const queries = new Set([...expected.searches.map(({ query }) => query), ...MORE_QUERIES]);
      expect(queries.size).toBeGreaterThan(20);
      using dir = tempDir("old-file");
      const path = copyPeerFile(`peer-${name}.db`, dir);
      for (const mode of ["read", "write"] as const) {
        using store = openStateStore({ path, mode });
        for (const query of queries) {
          const { root } = parseQuery(query);
          const judged = root ? judgedIds(store, root) : [];
          expect(searchIds(store, query), `${mode}: ${query}`).toEqual(judged);
        }
      }
    });
  }
});
