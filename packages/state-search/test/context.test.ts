import { openStateStore, type StateStore } from "@hermes/state-core";
import { type TempDir, tempDir } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { searchMessages } from "../src/index.js";
import { tracedStore } from "./helpers/traced-store.js";

describe("context", () => {
  let dir: TempDir;
  let store: StateStore;

  beforeEach(() => {
    dir = tempDir("context");
    store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "cli" });
    store.sessions.create({ id: "s2", source: "cli" });
  });

  afterEach(() => {
    store.close();
    dir[Symbol.dispose]();
  });

  function texts(query: string, options: { includeInactive?: boolean } = {}): string[] {
    const { hits } = searchMessages(store, query, { ...options, context: true });
    return (hits[0]?.context ?? []).map((message) => message.text);
  }

  it("SEA-06 shows the neighbours by time and id, within the session", () => {
    const times = [5, 5, 1, 5];
    const words = ["one", "two", "three", "four"];
    times.forEach((timestampSeconds, index) => {
      store.messages.append("s1", { role: "user", content: words[index]!, timestampSeconds });
      store.messages.append("s2", { role: "user", content: "elsewhere", timestampSeconds });
    });
    expect(texts("two")).toEqual(["one", "two", "four"]);
    expect(texts("three")).toEqual(["three", "one"]);
    expect(texts("four")).toEqual(["two", "four"]);
  });

  it("SEA-06 shows no neighbour that a search would not show", () => {
    const say = (content: string, more: object = {}): unknown => store.messages.append("s1", { role: "user", content, ...more });
    say("before");
    say("rewound one", { active: false });
    say("secret", { displayKind: "hidden" });
    say("needle");
    say("rewound two", { active: false });
    say("archived", { active: false, compacted: true });
    expect(texts("needle")).toEqual(["before", "needle", "archived"]);
    expect(texts("needle", { includeInactive: true })).toEqual(["rewound one", "needle", "rewound two"]);
  });

  it("SEA-05 SEA-06 shows the first 200 characters of text, never stored JSON", () => {
    store.messages.append("s1", { role: "user", content: [{ type: "image_url", image_url: {} }, { type: "text", text: "a picture" }] });
    store.messages.append("s1", { role: "user", content: "needle" });
    store.messages.append("s1", { role: "tool", content: `nul\u0000${"𠀋".repeat(5000)}` });
    const [before, , after] = texts("needle");
    expect(before).toBe("a picture");
    expect(Array.from(after!)).toHaveLength(200);
    expect(after!.isWellFormed()).toBe(true);
  });

  it("SEA-06 asks once per 500 hits, and not at all when context is not asked for", () => {
    const needles = Array.from({ length: 1200 }, (_, index) => ({ role: "user", content: `needle ${String(index)}` }));
    store.messages.appendBatch("s1", needles);
    const traced = tracedStore(store);
    searchMessages(traced, "needle", { limit: 1200 });
    expect(traced.statements.filter(({ sql }) => /beside/.test(sql))).toHaveLength(0);
    const { hits } = searchMessages(traced, "needle", { limit: 1200, context: true });
    expect(hits.every((hit) => hit.context.length >= 2)).toBe(true);
    expect(traced.statements.filter(({ sql }) => /beside/.test(sql))).toHaveLength(3);
    expect(traced.statements.filter(({ sql }) => /OVER\s*\(/i.test(sql))).toHaveLength(0);
    const without = tracedStore(store);
    searchMessages(without, "needle", { context: true, fields: ["id"] } as never);
    expect(without.statements.filter(({ sql }) => /beside/.test(sql))).toHaveLength(0);
  });

  it("SEA-06 finds neighbours through the index of a session, not by reading it", () => {
    store.messages.appendBatch("s1", Array.from({ length: 50 }, () => ({ role: "user", content: "needle" })));
    const traced = tracedStore(store);
    searchMessages(traced, "needle", { context: true });
    const { sql } = traced.statements.find((statement) => /beside/.test(statement.sql))!;
    const plan = store.read((r) => r.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ["[1]"]));
    const steps = plan.map(({ detail }) => detail);
    expect(steps.filter((step) => /SCAN (m|hits|messages)\b/.test(step))).toEqual([]);
    expect(steps.filter((step) => /SEARCH m USING INDEX idx_messages_session \(session_id=\? AND timestamp[<>]/.test(step))).toHaveLength(2);
  });
});
