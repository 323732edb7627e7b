import { openStateStore, type StateStore } from "@hermes/state-core";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { searchMessages } from "../src/index.js";
import { INDEX_STATES } from "./helpers/index-states.js";
import { QUERY_DIFFERENCES } from "./query-differences.js";
import { DOCUMENTS, QUERIES } from "./query-table.js";

const differences = new Map(QUERY_DIFFERENCES.map((difference) => [difference.query, difference]));

function roleOf(name: string): string {
  if (name === "D37") return "tool";
  return name === "D4" ? "assistant" : "user";
}

describe("query table", () => {
  let dir: TempDir;
  let store: StateStore;
  const names = new Map<number, string>();

  beforeAll(() => {
    dir = tempDir("query-table");
    store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "cli" });
    store.sessions.create({ id: "s2", source: "telegram" });
    for (const [name, content] of Object.entries(DOCUMENTS)) {
      const session = Number(name.slice(1)) % 2 === 1 ? "s1" : "s2";
      names.set(store.messages.append(session, { role: roleOf(name), content }).id, name);
    }
  });

  afterAll(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  for (const state of INDEX_STATES) {
    it(`SEA-01 SEA-02 SEA-03 SEA-17 finds what each of 231 queries must find: ${state.name}`, () => {
      const searched = state.enter(store);
      const wrong: string[] = [];
      for (const [number, query, expected] of QUERIES) {
        const finds = differences.get(number)?.finds ?? expected;
        const ids = searchMessages(searched, query, { limit: -1 }).hits.map((hit) => hit.id);
        const found = ids.sort((a, b) => a - b).map((id) => names.get(id)).join(",");
        if (found !== finds) wrong.push(`${number} ${JSON.stringify(query.slice(0, 40))}: ${found}, not ${finds}`);
      }
      expect(wrong).toEqual([]);
    });
  }

  it("SEA-17 names every deliberate difference from the table once, and none that is no difference", () => {
    expect(differences.size).toBe(QUERY_DIFFERENCES.length);
    const expected = new Map(QUERIES.map(([number, , found]) => [number, found]));
    for (const { query, finds } of QUERY_DIFFERENCES) expect(expected.get(query)).not.toBe(finds);
  });
});
