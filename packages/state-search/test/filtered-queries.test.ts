import { openStateStore, type NewMessage, type StateStore } from "@hermes/state-core";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseQuery, searchMessages, type SearchOptions } from "../src/index.js";
import { INDEX_STATES, pauseBackfill } from "./helpers/index-states.js";
import { searchIds } from "./helpers/search-ids.js";

const MESSAGES: Readonly<Record<string, NewMessage>> = {
  E1: { role: "user", content: "alpha beta" },
  E2: { role: "assistant", content: "Alpha gamma" },
  E3: { role: "tool", content: "alpha toolrow 数据库" },
  E4: { role: "user", content: "数据库 连接" },
  E5: { role: "user", content: "数据 备份" },
  E6: { role: "user", content: `${"x".repeat(3000)} 数据库Alpha` },
  E7: { role: "user", content: "gamma only" },
  D40: { role: "user", content: "docker networking bridge" },
};

/** Number, query, options, what it finds (search inventory, section 17b). E6 holds the word alpha (SEA-17). */
const CASES: readonly (readonly [string, string, SearchOptions, string])[] = [
  ["R01", "alpha", { roles: ["tool"] }, "E3"],
  ["R02", "数据库", { roles: ["tool"] }, "E3"],
  ["R03", "数据库", {}, "E3 E4 E6"],
  ["R04", "数据", {}, "E3 E4 E5 E6"],
  ["R05", "数据 备份", {}, "E5"],
  ["R06", "数据库 OR 备份", {}, "E3 E4 E5 E6"],
  ["R07", "alpha (beta OR gamma)", {}, "E1 E2"],
  ["R08", "alpha* NOT gamma", {}, "E1 E3 E6"],
  ["R09", '"alpha beta" OR gamma', {}, "E1 E2 E7"],
  ["R10", "数据库alpha", {}, "E6"],
  ["R11", "NOT NOT docker", {}, ""],
  ["R12", "docker OR", {}, "D40"],
  ["R13", "docker AND OR", {}, "D40"],
];

describe("queries with filters and in states of the index", () => {
  let dir: TempDir;
  let store: StateStore;
  let names: Map<number, string>;

  beforeEach(() => {
    dir = tempDir("filtered");
    store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "cli" });
    names = new Map();
    for (const [name, message] of Object.entries(MESSAGES)) names.set(store.messages.append("s1", message).id, name);
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  for (const [number, query, options, expected] of CASES) {
    it(`${number} SEA-01 SEA-03 SEA-04 finds what the book names for ${query}, in every state of the index`, () => {
      for (const state of INDEX_STATES) {
        const found = searchIds(state.enter(store), query, options).map((id) => names.get(id)).join(" ");
        expect(found, state.name).toBe(expected);
      }
    });
  }

  it("R28 SEA-01 gives the same ids from a stale index as before, also for boolean forms", () => {
    const stale = INDEX_STATES.find((state) => state.name === "stale")!;
    const queries = ["alpha", "alpha NOT gamma", "beta OR gamma", "(alpha OR 数据) 数据库", '"alpha beta"', "数据*"];
    const before = queries.map((query) => searchIds(store, query));
    expect(before.every((ids) => ids.length > 0)).toBe(true);
    const searched = stale.enter(store);
    expect(queries.map((query) => searchIds(searched, query))).toEqual(before);
    expect(searchMessages(searched, "alpha").readBecause).toBe("stale-index");
  });

  it("R14 SEA-02 reads a typed placeholder as the word it is", () => {
    const { id } = store.messages.append("s1", { role: "user", content: "x y and Q0" });
    expect(searchIds(store, '"x y" \u0000Q0\u0000')).toEqual([id]);
    expect(searchIds(store, "\u0000Q0\u0000")).toEqual([id]);
  });

  it("R19 R20 R21 SEA-08 pages, negates and gives alternatives while a backfill is pending", () => {
    const texts = ["w v", "w", "u", "v", "w u", "w v u"];
    const ids = store.messages.appendBatch("s1", texts.map((content) => ({ role: "user", content }))).map((receipt) => receipt.id);
    const holding = (accept: (words: string[]) => boolean): number[] =>
      ids.filter((_, index) => accept((texts[index] ?? "").split(" ")));
    for (let progress = ids[0]! - 1; progress <= ids[5]!; progress++) {
      pauseBackfill(store, progress);
      expect(searchIds(store, "w NOT v")).toEqual(holding((words) => words.includes("w") && !words.includes("v")));
      expect(searchIds(store, "v OR u")).toEqual(holding((words) => words.includes("v") || words.includes("u")));
      const page = (offset: number): number[] =>
        searchMessages(store, "w", { limit: 2, offset, sort: "oldest" }).hits.map((hit) => hit.id);
      expect([...page(0), ...page(2), ...page(4)]).toEqual(holding((words) => words.includes("w")));
    }
  });

  it("R22 SEA-05 SEA-17 finds structured content by its text, never by its JSON", () => {
    const content = [{ type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } }, { type: "text", text: "a picture" }];
    const { id } = store.messages.append("s1", { role: "user", content });
    expect(["image_url", "base64", "type", "json"].flatMap((query) => searchIds(store, query))).toEqual([]);
    const [hit] = searchMessages(store, "picture").hits;
    expect(hit).toMatchObject({ id, snippet: "a >>>picture<<<" });
  });

  it("R26 SEA-07 finds a word far into tool output when the tool role is asked for", () => {
    const { id } = store.messages.append("s1", { role: "tool", content: `${"- ".repeat(5000)}tailword` });
    expect(searchIds(store, "tailword")).toEqual([]);
    expect(searchIds(store, "tailword", { roles: ["tool"] })).toEqual([id]);
    expect(searchIds(store, "tailword", { roles: ["user", "tool"] })).toEqual([id]);
  });

  it("R30 R31 R32 SEA-03 finds emoji, half-width kana, Bopomofo, Jamo and Thai inside their runs", () => {
    const say = (content: string): number => store.messages.append("s1", { role: "user", content }).id;
    const family = say("we 👩\u200d👩\u200d👧 go");
    const kana = say("ｶﾀｶﾅ");
    const bopomofo = say("ㄅㄆㄇㄈ");
    const jamo = say("ㅎㅏㄴ \u1112\u1161\u11ab");
    const thai = say("สวัสดีครับ");
    for (const state of INDEX_STATES) {
      const searched = state.enter(store);
      expect(searchIds(searched, "👩\u200d👧"), state.name).toEqual([family]);
      expect(searchIds(searched, "👧"), state.name).toEqual([family]);
      expect(searchIds(searched, "ﾀｶ"), state.name).toEqual([kana]);
      expect(searchIds(searched, "ㄆ"), state.name).toEqual([bopomofo]);
      expect(searchIds(searched, "ㅏㄴ"), state.name).toEqual([jamo]);
      expect(searchIds(searched, "\u1161"), state.name).toEqual([jamo]);
      expect(searchIds(searched, "ดี"), state.name).toEqual([thai]);
    }
    expect(searchIds(store, "\ud83d")).toEqual([]);
  });

  it("SEA-01 takes a parsed query as well as its text", () => {
    const query = parseQuery("alpha NOT beta");
    expect(searchMessages(store, query).hits).toEqual(searchMessages(store, "alpha NOT beta").hits);
    expect(searchMessages(store, parseQuery("NOT beta"))).toMatchObject({ hits: [], hint: "only-negative", route: "empty" });
  });

  it("SEA-04 SEA-07 tells the route, the reason to read rows, and the number of hits once it is known", () => {
    const facts = (query: string, options: SearchOptions = {}): unknown => {
      const { route, readBecause, total, complete } = searchMessages(store, query, options);
      expect(complete).toBe(true);
      return [route, readBecause, total];
    };
    expect(facts("alpha")).toEqual(["word", undefined, 4]);
    expect(facts("alpha", { limit: 1 })).toEqual(["word", undefined, undefined]);
    expect(facts("数据库")).toEqual(["trigram", undefined, 3]);
    expect(facts("数据")).toEqual(["scan", "not-indexed", 4]);
    const stale = INDEX_STATES.find((state) => state.name === "stale")!;
    stale.enter(store);
    expect(facts("alpha")).toEqual(["scan", "stale-index", 4]);
    INDEX_STATES.find((state) => state.name === "backfill at 30 %")!.enter(store);
    expect([facts("alpha"), facts("数据库")]).toEqual([["word", "pending-index", 4], ["trigram", "pending-index", 3]]);
    INDEX_STATES.find((state) => state.name === "no index at all")!.enter(store);
    expect(facts("alpha")).toEqual(["scan", "no-index", 4]);
  });
});
