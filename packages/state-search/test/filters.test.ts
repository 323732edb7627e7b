import { openStateStore, type NewMessage, type StateStore } from "@hermes/state-core";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HIT_FIELDS, searchMessages, type SearchOptions } from "../src/index.js";
import { INDEX_STATES } from "./helpers/index-states.js";

const MESSAGES: readonly (readonly [name: string, session: string, message: NewMessage])[] = [
  ["user", "cli", { role: "user", content: "needle 数据", timestampSeconds: 100 }],
  ["assistant", "cli", { role: "assistant", content: "needle 数据", timestampSeconds: 200 }],
  ["tool", "cli", { role: "tool", content: "needle 数据", timestampSeconds: 300 }],
  ["telegram", "telegram", { role: "user", content: "needle 数据", timestampSeconds: 400 }],
  ["rewound", "cli", { role: "user", content: "needle 数据", timestampSeconds: 500, active: false }],
  ["archived", "cli", { role: "user", content: "needle 数据", timestampSeconds: 600, active: false, compacted: true }],
  ["hidden", "cli", { role: "user", content: "needle 数据", timestampSeconds: 700, displayKind: "hidden" }],
  ["shown", "cli", { role: "user", content: "needle 数据", timestampSeconds: 50, displayKind: "steer" }],
];

/** Options, and the messages that a search with them finds. */
const CASES: readonly (readonly [SearchOptions, string])[] = [
  [{}, "user assistant tool telegram archived shown"],
  [{ includeInactive: true }, "user assistant tool telegram rewound archived shown"],
  [{ roles: ["user"] }, "user telegram archived shown"],
  [{ roles: ["tool", "assistant"] }, "assistant tool"],
  [{ roles: [] }, ""],
  [{ sources: ["telegram"] }, "telegram"],
  [{ sources: ["telegram", "cli"] }, "user assistant tool telegram archived shown"],
  [{ sources: [] }, ""],
  [{ excludeSources: ["cli"] }, "telegram"],
  [{ excludeSources: [] }, "user assistant tool telegram archived shown"],
  [{ sessions: ["cli"] }, "user assistant tool archived shown"],
  [{ sessions: ["cl", "CLI", "cl_", "cl%"] }, ""],
  [{ sessions: [] }, ""],
  [{ excludeSessions: ["cli"] }, "telegram"],
  [{ excludeSessions: ["unknown"] }, "user assistant tool telegram archived shown"],
  [{ excludeSessions: [] }, "user assistant tool telegram archived shown"],
  [{ sinceSeconds: 200 }, "assistant tool telegram archived"],
  [{ untilSeconds: 200 }, "user shown"],
  [{ sinceSeconds: 100, untilSeconds: 300, roles: ["user", "tool"] }, "user"],
];

describe("filters", () => {
  let dir: TempDir;
  let store: StateStore;
  const names = new Map<number, string>();

  beforeAll(() => {
    dir = tempDir("filters");
    store = openStateStore({ path: dir.file("state.db") });
    for (const source of ["cli", "telegram"]) store.sessions.create({ id: source, source, model: `model of ${source}` });
    for (const [name, session, message] of MESSAGES) names.set(store.messages.append(session, message).id, name);
  });

  afterAll(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  for (const state of INDEX_STATES) {
    it(`SEA-04 R16 R24 R25 filters before the limit, on every route: ${state.name}`, () => {
      const searched = state.enter(store);
      for (const query of ["needle", "数据", "needle NOT nothing", "数据 OR nothing"]) {
        for (const [options, expected] of CASES) {
          const { hits } = searchMessages(searched, query, options);
          const found = hits.map((hit) => names.get(hit.id)).filter((name) => name !== undefined);
          const wanted = expected.split(" ").filter((name) => name !== "");
          expect(found.sort(), `${query} ${JSON.stringify(options)}`).toEqual(wanted.sort());
        }
        const last = searchMessages(searched, query, { roles: ["assistant"], limit: 1 });
        expect(last.hits.map((hit) => names.get(hit.id)), query).toEqual(["assistant"]);
      }
    });

    it(`SEA-04 R15 orders by time, whatever the case and spaces of the word, and never by a bad cell: ${state.name}`, () => {
      const searched = state.enter(store);
      const order = (sort: string): string =>
        searchMessages(searched, "needle", { sort: sort as "oldest" }).hits.map((hit) => names.get(hit.id)).join(" ");
      expect(order(" OLDEST ")).toBe("shown user assistant tool telegram archived");
      expect(order("newest")).toBe("archived telegram tool assistant user shown");
    });
  }

  it("SEA-04 P28 puts a message with a text or absurd time last among the newest", () => {
    using other = tempDir("bad-times");
    using odd = openStateStore({ path: other.file("state.db") });
    odd.sessions.create({ id: "s", source: "cli" });
    const ids = odd.messages.appendBatch("s", ["a", "b", "c"].map((text) => ({ role: "user", content: `needle ${text}` })));
    odd.write("test: bad times", (w) => {
      w.run("UPDATE messages SET timestamp = 'tomorrow' WHERE id = ?", [ids[0]!.id]);
      w.run("UPDATE messages SET timestamp = 5e246 WHERE id = ?", [ids[1]!.id]);
    });
    const { hits } = searchMessages(odd, "needle", { sort: "newest" });
    expect(hits.map((hit) => hit.id)).toEqual([ids[2]!.id, ids[1]!.id, ids[0]!.id]);
    expect(hits[1]!.timestampSeconds).toBeUndefined();
  });

  it("SEA-04 R17 takes a negative limit for the most, zero for none, and a negative offset for zero", () => {
    expect(searchMessages(store, "needle", { limit: -1 }).hits).toHaveLength(6);
    expect(searchMessages(store, "needle", { limit: 0 })).toMatchObject({ hits: [], nextCursor: undefined });
    expect(searchMessages(store, "needle", { limit: 2, offset: -5 }).hits).toHaveLength(2);
    expect(searchMessages(store, "needle", { limit: 2, offset: 5 }).hits).toHaveLength(1);
    expect(searchMessages(store, "needle", { limit: 2, offset: 99 })).toMatchObject({ hits: [], nextCursor: undefined });
  });

  it("SEA-04 returns the fields asked for, in their own order", () => {
    const all = searchMessages(store, "needle", { sources: ["telegram"], context: true });
    expect(Object.keys(all.hits[0] ?? {})).toEqual(HIT_FIELDS);
    expect(all.hits[0]).toMatchObject({ sessionId: "telegram", role: "user", source: "telegram", model: "model of telegram" });
    expect(all.hits[0]).toMatchObject({ timestampSeconds: 400, toolName: null, snippet: ">>>needle<<< 数据" });
    expect(Object.keys(searchMessages(store, "needle").hits[0] ?? {})).toEqual(HIT_FIELDS.filter((f) => f !== "context"));
    const some = searchMessages(store, "needle", { fields: ["snippet", "id"] });
    expect(Object.keys(some.hits[0] ?? {})).toEqual(["id", "snippet"]);
    expect(searchMessages(store, "needle", { fields: [], limit: 2 }).hits).toEqual([{}, {}]);
  });

  it("SEA-04 R18 refuses options it does not have and values that make no sense, also for a query that finds nothing", () => {
    const search = (options: object): unknown => searchMessages(store, "", options as SearchOptions);
    for (const options of [{ role: ["user"] }, { Limit: 3 }, { roles: "user" }, { sessions: [1] }, { limit: "3" }, "newest"]) {
      expect(() => search(options as object), JSON.stringify(options)).toThrow(TypeError);
    }
    for (const options of [{ fields: "id" }, { includeInactive: 1 }, { sort: 1 }, { cursor: 5 }, { context: "yes" }]) {
      expect(() => search(options), JSON.stringify(options)).toThrow(TypeError);
    }
    for (const options of [{ limit: 1.5 }, { limit: Infinity }, { sinceSeconds: NaN }, { sort: "relevance" }, { groupBy: "x" }]) {
      expect(() => search(options), JSON.stringify(options)).toThrow(RangeError);
    }
    expect(() => search({ fields: ["id", "zebra", "apple"] })).toThrow(/apple, zebra/);
    expect(() => search({ cursor: "nonsense" })).toThrow(expect.objectContaining({ code: "STATE_E_BAD_CURSOR" }));
    const { nextCursor } = searchMessages(store, "needle", { limit: 1, sort: "newest" });
    expect(() => search({ cursor: nextCursor, sort: "oldest" })).toThrow(expect.objectContaining({ code: "STATE_E_BAD_CURSOR" }));
    expect(() => search({ cursor: nextCursor, sort: "newest", offset: 1 })).toThrow(TypeError);
  });
});
