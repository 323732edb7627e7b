import { openStateStore, type StateStore } from "@hermes/state-core";
import { describePython, runPython, type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchMessages } from "../src/index.js";
import { INDEX_STATES } from "./helpers/index-states.js";
import { searchIds } from "./helpers/search-ids.js";

describe("field cases", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("field-cases");
    store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "cli" });
    store.sessions.create({ id: "s2", source: "telegram" });
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  function say(session: string, ...contents: string[]): number[] {
    const messages = contents.map((content) => ({ role: "user", content }));
    return store.messages.appendBatch(session, messages).map((receipt) => receipt.id);
  }

  it("P05 SEA-03 finds exactly the messages that hold a CJK term, in runs and alone, with filters, limit and offset", () => {
    const repeat = (length: number, text: (index: number) => string): string[] =>
      Array.from({ length }, (_, index) => text(index));
    const texts = [
      ...repeat(50, (i) => `我们讨论了大别山项目的进展第${String(i)}次`),
      ...repeat(50, (i) => `昨晚${String(i)}部署失败了`),
      ...repeat(20, (i) => `한국어테스트문장${String(i)}`),
      ...repeat(20, (i) => `日本語のカタカナ検索${String(i)}`),
      ...["大别山项目", "昨晚", "한국어"],
    ];
    const first = say("s1", ...texts.slice(0, 70));
    const second = say("s2", ...texts.slice(70));
    const ids = [...first, ...second];
    for (const term of ["大别山项目", "大别", "山", "昨晚", "국어", "カタカナ", "日本語の"]) {
      const holding = ids.filter((_, index) => texts[index]?.includes(term));
      for (const state of INDEX_STATES) {
        const searched = state.enter(store);
        expect(searchIds(searched, term), `${state.name}: ${term}`).toEqual(holding);
        const ofSecond = holding.filter((id) => second.includes(id));
        expect(searchIds(searched, term, { sources: ["telegram"] }), term).toEqual(ofSecond);
        expect(searchIds(searched, term, { roles: ["assistant"] }), term).toEqual([]);
        const page = searchMessages(searched, term, { sort: "oldest", limit: 3, offset: 1 });
        expect(page.hits.map((hit) => hit.id), term).toEqual(holding.slice(1, 4));
        for (const { snippet } of page.hits) expect(snippet).toContain(`>>>${term}<<<`);
      }
    }
  });

  it("P06 SEA-17 finds a Latin word glued to CJK text, alone and in mixed queries", () => {
    const [id] = say("s1", "请修改youer服务端配置", "youth 服务端 修改");
    for (const state of INDEX_STATES) {
      const searched = state.enter(store);
      for (const query of ["youer", "youer 服务端 修改", "修改youer", "YOUER*", "youer OR nothing"]) {
        expect(searchIds(searched, query), `${state.name}: ${query}`).toEqual([id]);
      }
      expect(searchIds(searched, "服务端")).toHaveLength(2);
    }
  });

  it("P07 SEA-02 takes ordinary punctuation: every literal is found, nothing throws", () => {
    const texts = ["chat-send", "TODO: fix", "don't", "C++", "foo/bar.ts", "user@example.com", "38.101", "a_b", "100%", "NEAR(x, *"];
    const ids = say("s1", ...texts, "exact phrase", "phrase exact");
    for (const state of INDEX_STATES) {
      const searched = state.enter(store);
      texts.forEach((text, index) => expect(searchIds(searched, text), `${state.name}: ${text}`).toContain(ids[index]));
      expect(searchIds(searched, '"exact phrase"')).toEqual([ids[10]]);
      expect(searchIds(searched, "exact phrase")).toEqual([ids[10], ids[11]]);
      expect(searchIds(searched, "exact AND phrase NOT fix")).toEqual([ids[10], ids[11]]);
      expect(searchIds(searched, "don OR todo")).toEqual([ids[1], ids[2]]);
      expect(searchIds(searched, "content:exact")).toEqual([]);
      for (const query of ['"unbalanced', "AND", "(", ")", "-x", "", "   ", "word ".repeat(2048)]) {
        expect(() => searchMessages(searched, query), query).not.toThrow();
      }
      expect(searchMessages(searched, "")).toMatchObject({ hits: [], route: "empty", hint: "empty", complete: true });
    }
  });

  it("P08 SEA-07 finds what stands only in tool output, tool names and arguments, or says that roles were left out", () => {
    const toolCalls = [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"/srv/zebra.conf"}' } }];
    const call = store.messages.append("s1", { role: "assistant", content: null, toolCalls }).id;
    const output = store.messages.append("s1", { role: "tool", toolName: "grep_repo", content: "one quokka" }).id;
    for (const state of INDEX_STATES) {
      const searched = state.enter(store);
      expect(searchIds(searched, "zebra"), state.name).toEqual([call]);
      expect(searchIds(searched, "/srv/zebra.conf"), state.name).toEqual([call]);
      expect(searchIds(searched, "quokka"), state.name).toEqual([output]);
      expect(searchIds(searched, "grep_repo"), state.name).toEqual([output]);
      expect(searchIds(searched, "quokka", { roles: ["tool"] }), state.name).toEqual([output]);
      const spoken = searchMessages(searched, "quokka", { roles: ["user", "assistant"] });
      expect(spoken).toMatchObject({ hits: [], complete: false, incompleteBecause: ["roles-excluded"] });
    }
  });

  it("P09 SEA-04 leaves a session and its whole conversation out before the limit, and groups by session", () => {
    for (let index = 0; index < 20; index++) {
      const id = `old${String(index)}`;
      store.sessions.create({ id, source: "cli" });
      store.messages.append(id, { role: "user", content: "the needle", timestampSeconds: 1000 + index });
    }
    store.sessions.create({ id: "root", source: "cli" });
    store.messages.append("root", { role: "user", content: "needle of the root", timestampSeconds: 5000 });
    store.sessions.end("root", "compression");
    store.sessions.create({ id: "cur", source: "cli", parentSessionId: "root" });
    const newer = Array.from({ length: 200 }, (_, i) => ({ role: "user", content: "needle", timestampSeconds: 6000 + i }));
    store.messages.appendBatch("cur", newer);
    const newest = Array.from({ length: 10 }, (_, index) => `old${String(19 - index)}`);
    for (const state of INDEX_STATES) {
      const searched = state.enter(store);
      const options = { limit: 10, sort: "newest", excludeSessions: ["cur"] } as const;
      const { hits } = searchMessages(searched, "needle", options);
      expect(hits.map((hit) => hit.sessionId), state.name).toEqual(newest);
      const grouped = searchMessages(searched, "needle", { limit: 10, sort: "newest", groupBy: "session" });
      expect(grouped.hits.map((hit) => hit.sessionId), state.name).toEqual(["cur", "root", ...newest.slice(0, 8)]);
      expect(new Set(searchMessages(searched, "needle", { groupBy: "session" }).hits.map((hit) => hit.sessionId)).size).toBe(20);
    }
  });
});

/** Ways to wreck an index that answers all the same: with an error, or with nothing. */
const WRECKS: Readonly<Record<string, string>> = {
  "has lost its segments": "DELETE FROM {table}_data WHERE id > 10",
  "has a structure record of NUL": "UPDATE {table}_data SET block = zeroblob(length(block)) WHERE id = 10",
  "consists of NUL": "UPDATE {table}_data SET block = zeroblob(length(block))",
  "has lost its structure record": "DELETE FROM {table}_data WHERE id = 10",
};

describePython("a damaged index", () => {
  for (const [what, sql] of Object.entries(WRECKS)) {
    it(`P01 SEA-01 that ${what} is not believed: the rows are read, all of them are found, and the answer says why`, () => {
      using dir = tempDir("damaged-index");
      const path = dir.file("state.db");
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "cli" });
      const texts = Array.from({ length: 400 }, (_, index) => `needle ${String(index)} 数据库连接`);
      store.messages.appendBatch("s1", texts.map((content) => ({ role: "user", content })));
      runPython(WRECK, { path, sql });
      for (const query of ["needle", "数据库连接"]) {
        const answer = searchMessages(store, query, { limit: 500 });
        expect(answer.hits).toHaveLength(400);
        expect(answer).toMatchObject({ route: "scan", readBecause: "unreadable-index", complete: true });
      }
    });
  }
});

const WRECK = `
db = sqlite3.connect(args["path"])
for table in ("messages_fts", "messages_fts_trigram"):
    db.execute(args["sql"].replace("{table}", table))
db.commit()
db.close()
answer(None)
`;
