import { detachFts } from "@hermes/state-schema";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionSearch, type SessionSearchArgs, type SessionSearchHost } from "../src/index.js";
import { pauseBackfill } from "./helpers/index-states.js";
import { sessionFixture, type SessionFixture } from "./helpers/session-fixture.js";

interface Result {
  session_id: string;
  [key: string]: unknown;
}

const TEXT: unknown = expect.any(String);

describe("sessionSearch, discover", () => {
  let fixture: SessionFixture;
  let create: SessionFixture["create"];
  let say: SessionFixture["say"];

  beforeEach(() => {
    fixture = sessionFixture("discover");
    ({ create, say } = fixture);
  });

  afterEach(() => {
    fixture[Symbol.dispose]();
  });

  function ask(args: SessionSearchArgs, host: SessionSearchHost = {}): Record<string, unknown> & { results: Result[] } {
    const reply = sessionSearch(fixture.store, args, host);
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
    expect(reply.success).toBe(true);
    return reply as never;
  }
  const ids = (args: SessionSearchArgs, host?: SessionSearchHost): string[] =>
    ask(args, host).results.map((result) => result.session_id);

  it("SEA-15 shows goal, hit and resolution of a session", () => {
    create("s1", { model: "m1", title: "Trains" });
    for (let n = 0; n < 10; n++) say("s1", `before ${String(n)}`);
    const anchor = say("s1", "the needle");
    for (let n = 0; n < 10; n++) say("s1", `after ${String(n)}`, { role: "assistant" });
    const { results, ...reply } = ask({ query: "needle" }, { profile: "Work" });
    expect(reply).toEqual({
      success: true, mode: "discover", query: "needle", detail: "adaptive", count: 1, sessions_searched: 1,
    });
    const [result] = results;
    expect(result).toMatchObject({
      session_id: "s1", source: "cli", model: "m1", title: "Trains", matched_role: "user", match_message_id: anchor,
      snippet: "the >>>needle<<<", messages_before: 5, messages_after: 5, link: "@session:work/s1",
    });
    expect(result).not.toHaveProperty("parent_session_id");
    const contents = (key: string): unknown[] => (result![key] as { content: string }[]).map(({ content }) => content);
    expect(contents("bookend_start")).toEqual(["before 0", "before 1", "before 2"]);
    expect(contents("bookend_end")).toEqual(["after 7", "after 8", "after 9"]);
    expect(contents("messages")).toHaveLength(11);
    expect((result!["messages"] as Result[]).filter((message) => message["anchor"] === true)).toMatchObject([{ id: anchor }]);
  });

  it("SEA-15 says when there is nothing, also for a query that only excludes", () => {
    expect(ask({ query: "needle" })).toMatchObject({ results: [], count: 0, message: "No matching sessions found." });
    expect(ask({ query: "NOT needle" })).toMatchObject({ count: 0, hint: TEXT });
  });

  it("SEA-15 shows the first result in full and of the others the hit alone, unless full detail is asked for", () => {
    for (const id of ["a", "b"]) {
      create(id);
      for (let n = 0; n < 20; n++) say(id, n === 10 ? "needle" : "hay");
    }
    const shape = (args: SessionSearchArgs): unknown[] =>
      ask(args).results.map((result) =>
        ["bookend_start", "messages", "bookend_end"].map((key) => (result[key] as unknown[]).length));
    expect(shape({ query: "needle" })).toEqual([[3, 11, 3], [0, 1, 0]]);
    expect(shape({ query: "needle", detail: "full" })).toEqual([[3, 11, 3], [3, 11, 3]]);
  });

  it("SEA-15 clamps the limit to 1 to 10, 3 unless asked", () => {
    for (let n = 0; n < 12; n++) {
      create(`s${String(n)}`);
      say(`s${String(n)}`, "needle");
    }
    expect(ids({ query: "needle" })).toHaveLength(3);
    expect(ids({ query: "needle", limit: 99 })).toHaveLength(10);
    expect(ids({ query: "needle", limit: -5 })).toHaveLength(1);
    expect(ids({ query: "needle", limit: "2" as never, sort: "oldest" })).toEqual(["s0", "s1"]);
    expect(ids({ query: "needle", limit: 1, sort: "newest" })).toEqual(["s11"]);
  });

  it("SEA-15 puts scheduled jobs behind people before the cut", () => {
    create("job", { source: "cron" });
    for (let n = 0; n < 5; n++) say("job", "needle needle needle");
    create("me");
    say("me", `needle ${"hay ".repeat(50)}`);
    expect(ids({ query: "needle" })).toEqual(["me", "job"]);
    expect(ids({ query: "needle", limit: 1 })).toEqual(["me"]);
  });

  it("SEA-15 lets no flood of one session hide the others", () => {
    create("flood");
    fixture.store.messages.appendBatch("flood", Array.from({ length: 700 }, () => ({ role: "user", content: "needle" })));
    create("other");
    say("other", `needle ${"hay ".repeat(80)}`);
    expect(ids({ query: "needle" }).sort()).toEqual(["flood", "other"]);
  });

  it("SEA-15 shows one result per tree of sessions, and names its root", () => {
    create("root");
    say("root", "nothing");
    fixture.store.sessions.end("root", "compression");
    create("next", { parentSessionId: "root" });
    say("next", "needle one");
    say("next", "needle two");
    const [only, ...others] = ask({ query: "needle" }).results;
    expect(only).toMatchObject({ session_id: "next", parent_session_id: "root" });
    expect(others).toEqual([]);
  });

  it("SEA-15 looks at what people and the assistant said unless roles are asked for", () => {
    create("s");
    say("s", "needle", { role: "tool", toolName: "shell" });
    expect(ids({ query: "needle" })).toEqual([]);
    expect(ask({ query: "needle", role_filter: "user, TOOL" }).results).toMatchObject([
      { matched_role: "tool", messages: [{ tool_name: "shell" }] },
    ]);
  });

  it("SEA-15 finds a title, the latest of a numbered one, and puts it first", () => {
    create("t1", { title: "Night Trains" });
    say("t1", "hello");
    create("t2", { title: "Night Trains #2" });
    const first = say("t2", "bonjour");
    create("talk");
    say("talk", "about night trains, night trains");
    expect(ask({ query: ' "Night Trains" ', role_filter: "assistant" }).results).toMatchObject([
      { session_id: "t2", matched_role: "session_title", match_message_id: first, title: "Night Trains #2" },
    ]);
    expect(ids({ query: "`Night Trains`" })).toEqual(["t2", "talk"]);
    create("empty", { title: "Silence" });
    expect(ask({ query: "Silence" }).results).toMatchObject([
      { session_id: "empty", match_message_id: null, messages: [], messages_before: 0, messages_after: 0 },
    ]);
  });

  it("SEA-15 does not find sessions of hidden sources, by words or by title", () => {
    for (const source of ["kanban", "subagent", "tool"]) {
      create(source, { source, title: `Secret ${source}` });
      say(source, "needle");
      expect(ids({ query: `Secret ${source}` })).toEqual([]);
    }
    expect(ids({ query: "needle" })).toEqual([]);
  });

  it("SEA-15 hides what the agent has in its context, and shows what left it", () => {
    create("old");
    const carried = say("old", "needle before the compaction");
    fixture.store.sessions.end("old", "compression");
    create("now", { parentSessionId: "old", title: "Needle now" });
    say("now", "needle live");
    create("worker", { parentSessionId: "now", modelConfig: { _delegate_from: "now" } });
    say("worker", "needle of a live delegate");
    const host = { currentSessionId: "now" };
    expect(ask({ query: "needle" }, host).results).toMatchObject([{ session_id: "old", match_message_id: carried }]);
    expect(ids({ query: "Needle now" }, host)).toEqual([]);
    const archived = say("now", "needle archived", { active: false, compacted: true });
    expect(ask({ query: "archived" }, host).results).toMatchObject([{ session_id: "now", match_message_id: archived }]);
    say("now", "needle rewound", { active: false });
    expect(ids({ query: "rewound" }, host)).toEqual([]);
  });

  it("SEA-15 shows sessions of the lineage that a reset ended, and hides a branched parent", () => {
    for (const reason of ["session_reset", "new_session", "idle", "daily", "suspended", "branched"]) {
      create(`old-${reason}`);
      say(`old-${reason}`, `needle${reason.replace("_", "")}`);
      fixture.store.sessions.end(`old-${reason}`, reason);
      create(`new-${reason}`, { parentSessionId: `old-${reason}` });
      const found = ids({ query: `needle${reason.replace("_", "")}` }, { currentSessionId: `new-${reason}` });
      expect(found, reason).toEqual(reason === "branched" ? [] : [`old-${reason}`]);
    }
  });

  it("SEA-15 takes compaction summaries out of the ends, not out of the window", () => {
    create("s");
    say("s", "[CONTEXT COMPACTION] summary far away");
    for (let n = 0; n < 9; n++) say("s", "hay");
    say("s", "[CONTEXT SUMMARY]: nearby");
    say("s", "needle");
    const text = JSON.stringify(ask({ query: "needle" }).results);
    expect(text).not.toContain("far away");
    expect(text).toContain("nearby");
  });

  it("SEA-15 caps every text and shows no hidden or rewound neighbour, nor terminal sequences", () => {
    create("s", { title: "Long" });
    say("s", "b".repeat(9000));
    for (let n = 0; n < 5; n++) say("s", "hay");
    say("s", "secret one", { displayKind: "hidden" });
    say("s", "secret two", { active: false });
    say("s", `\u001b[31mred\u001b[0m ${"𠀋".repeat(9000)}`);
    say("s", "needle");
    say("s", [{ type: "image_url", image_url: { url: "data:base64,AAAA" } }]);
    for (const query of ["needle", "Long"]) {
      const [result] = ask({ query, detail: "full" }).results;
      const messages = ["bookend_start", "messages", "bookend_end"].flatMap((key) => result![key] as Result[]);
      for (const message of messages) expect(Array.from(message["content"] as string).length).toBeLessThanOrEqual(4000);
      expect(JSON.stringify(result)).not.toMatch(/secret|u001b|AAAA/);
    }
    const [result] = ask({ query: "needle" }).results;
    expect(result).toMatchObject({ bookend_start: [{ truncated: true, content: "b".repeat(1200) }, {}, {}] });
    expect(JSON.stringify(result)).toContain("[multimodal content]");
    expect(JSON.stringify(result)).toContain('"red 𠀋');
  });

  it("SEA-15 says that the index is being rebuilt or stale, and finds all the same", () => {
    create("s");
    for (let n = 0; n < 4; n++) say("s", "needle");
    expect(ask({ query: "needle" })).not.toHaveProperty("index_rebuild");
    pauseBackfill(fixture.store, 1);
    expect(ask({ query: "needle" })).toMatchObject({ count: 1, index_rebuild: { percent: 25, note: TEXT } });
    fixture.store.write("detach", detachFts);
    expect(ask({ query: "needle" })).toMatchObject({ count: 1, index_rebuild: { percent: 0, note: TEXT } });
  });
});
