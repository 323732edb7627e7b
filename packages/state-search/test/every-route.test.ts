import { openStateStore, type StateStore } from "@hermes/state-core";
import { seedFor, tempDir } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery, searchMessages } from "../src/index.js";
import { ALL_STATES } from "./helpers/side-states.js";
import { randomCorpus, randomQuery, type RandomMessage } from "./helpers/random-corpus.js";
import { judgedIds } from "./helpers/reference.js";
import { searchIds } from "./helpers/search-ids.js";

function refill(store: StateStore, corpus: readonly RandomMessage[]): void {
  store.write("test: empty the store", (w) => {
    w.exec("DELETE FROM messages");
    w.exec("DELETE FROM sessions");
  });
  for (const source of ["cli", "cron", "subagent"]) store.sessions.create({ id: source, source });
  for (const { session, message } of corpus) store.messages.append(session, message);
}

describe("every route", () => {
  it("SEA-01 SEA-07 SEA-17 gives the ids the predicate gives, in every state of the index", () => {
    const seed = seedFor("every route");
    using dir = tempDir("every-route");
    using store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    const queries = fc.array(randomQuery, { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(randomCorpus, queries, (corpus, texts) => {
        ALL_STATES[0]?.enter(store);
        refill(store, corpus);
        const asked = texts.map((text) => {
          const { root } = parseQuery(text);
          const ids = (whole: boolean): number[] => (root ? judgedIds(store, root, whole) : []);
          return { text, bounded: ids(false), whole: ids(true) };
        });
        for (const state of ALL_STATES) {
          const searched = state.enter(store);
          for (const { text, bounded, whole } of asked) {
            expect(searchIds(searched, text), `${state.name}: ${JSON.stringify(text)}`).toEqual(bounded);
            const roles = ["user", "assistant", "tool"];
            expect(searchIds(searched, text, { roles }), `${state.name}, tools: ${JSON.stringify(text)}`).toEqual(
              whole,
            );
          }
        }
      }),
      { seed, numRuns: 12 },
    );
  }, 240_000);

  it("SEA-04 SEA-08 pages through each hit once, in order, in every state of the index", () => {
    const seed = seedFor("pages");
    using dir = tempDir("pages");
    using store = openStateStore({ path: dir.file("state.db"), durability: "normal" });
    const sort = fc.constantFrom("rank" as const, "newest" as const, "oldest" as const);
    const paging = fc.record({ sort, limit: fc.integer({ min: 1, max: 7 }), grouped: fc.boolean() });
    const query = fc.constantFrom(
      "deploy",
      "deploy OR 数据",
      "数据库",
      "a OR b OR s OR x",
      "cat OR привет",
      "🚀 OR docker",
    );
    fc.assert(
      fc.property(randomCorpus, query, fc.array(paging, { minLength: 4, maxLength: 4 }), (corpus, text, ways) => {
        ALL_STATES[0]?.enter(store);
        refill(store, corpus);
        for (const state of ALL_STATES) {
          const searched = state.enter(store);
          for (const { sort: order, limit, grouped } of ways) {
            const options = { sort: order, ...(grouped && { groupBy: "session" as const }) };
            const all = searchMessages(searched, text, { ...options, limit: -1 }).hits.map((hit) => hit.id);
            const byOffset: number[] = [];
            for (let offset = 0; offset < all.length + limit; offset += limit) {
              byOffset.push(...searchMessages(searched, text, { ...options, limit, offset }).hits.map((hit) => hit.id));
            }
            const byCursor: number[] = [];
            for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
              const page = searchMessages(searched, text, { ...options, limit, ...(cursor && { cursor }) });
              byCursor.push(...page.hits.map((hit) => hit.id));
              cursor = page.nextCursor;
            }
            const where = `${state.name}: ${text} ${JSON.stringify({ order, limit, grouped })}`;
            expect(byOffset, where).toEqual(all);
            expect(byCursor, where).toEqual(all);
          }
        }
      }),
      { seed, numRuns: 12 },
    );
  }, 240_000);
});
