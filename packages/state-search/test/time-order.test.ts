import { openStateStore, type StateStore } from "@hermes/state-core";
import { tempDir, testRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { searchMessages } from "../src/index.js";
import { tracedStore } from "./helpers/traced-store.js";
import { freshSide } from "./helpers/side-states.js";

const COUNT = 900;

function fill(store: StateStore, secondsOf: (index: number) => number): { id: number; seconds: number }[] {
  for (const id of ["s1", "s2", "s3"]) store.sessions.create({ id, source: "cli" });
  return Array.from({ length: COUNT }, (_, index) => {
    const seconds = secondsOf(index);
    const content = index % 3 === 0 ? "needle 数据" : index % 3 === 1 ? "修改needle数据库" : "other";
    const session = `s${String(1 + (index % 3))}`;
    return { id: store.messages.append(session, { role: "user", content, timestampSeconds: seconds }).id, seconds };
  });
}

function pages(store: StateStore, query: string, sort: "newest" | "oldest", limit: number): number[] {
  const found: number[] = [];
  let cursor: string | undefined;
  do {
    const page = searchMessages(store, query, { sort, limit, ...(cursor !== undefined && { cursor }) });
    found.push(...page.hits.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

describe("answers in order of time", () => {
  for (const [what, secondsOf] of [
    ["ids follow time", (index: number) => 1_000 + index],
    ["many share a moment", (index: number) => 1_000 + Math.floor(index / 50)],
    ["a few rows were imported later", (index: number) => (index % 97 === 0 ? 5_000 - index : 1_000 + index)],
    ["ids say nothing about time", (index: number) => 1_000 + ((index * 7_919) % COUNT)],
    ["ids run against time", (index: number) => 9_000 - index],
  ] as const) {
    it(`SEA-04 come whole and in order, page by page, where ${what}`, () => {
      using dir = tempDir("time-order");
      using store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
      const rows = fill(store, secondsOf).filter((_, index) => index % 3 !== 2);
      const oldest = [...rows].sort((a, b) => a.seconds - b.seconds || a.id - b.id).map(({ id }) => id);
      const random = testRandom(7);
      for (const side of [false, true]) {
        if (side) freshSide(store);
        for (const query of ["needle", "数据"]) {
          const limit = 20 + Math.floor(random.next() * 60);
          const where = `${query}, side index: ${String(side)}`;
          expect(pages(store, query, "oldest", limit), where).toEqual(oldest);
          expect(pages(store, query, "newest", limit), where).toEqual([...oldest].reverse());
          const { hits } = searchMessages(store, query, { sort: "newest", limit, offset: 333 });
          expect(
            hits.map(({ id }) => id),
            where,
          ).toEqual([...oldest].reverse().slice(333, 333 + limit));
        }
      }
      const ranked = searchMessages(store, "数据", { limit: 30 });
      expect(ranked.route).toBe("side");
      expect(ranked.hits.map(({ id }) => id)).toEqual([...oldest].reverse().slice(0, 30));
    });
  }

  it("SEA-05 looks at the moments of a few rows only, where ids follow time", () => {
    using dir = tempDir("time-order");
    using store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    fill(store, (index) => 1_000 + index);
    freshSide(store);
    for (const query of ["needle", "数据"]) {
      const traced = tracedStore(store);
      expect(searchMessages(traced, query, { sort: "newest", limit: 10 }).hits).toHaveLength(10);
      expect(Math.max(...traced.statements.map(({ rows }) => rows)), query).toBeLessThanOrEqual(128);
    }
  });
});
