import { copyPeerFile, describePeer, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../test/support/open-test-store.js";
import type { TestStore } from "../../test/support/open-test-store.js";
import { failAtEveryStatement } from "../../test/support/every-statement.js";
import { checkIndexes } from "../../test/support/dump-store.js";
import { openStateStore } from "../index.js";
import type { KeyedPeer, SessionFields, StateStore } from "../index.js";

const KEY = "agent:main:telegram:dm:u1";
const PEER: KeyedPeer = { source: "telegram", sessionKey: KEY, userId: "u1", chatId: "c1", chatType: "dm" };

function talk(store: StateStore, id: string, fields: Partial<SessionFields> = {}): void {
  store.sessions.create({ ...PEER, ...fields, id });
  store.messages.append(id, { role: "user", content: `from ${id}` });
}

describe("routing entries", () => {
  it("COR-36 are stored per scope as Python spells them, and come back as they were", () => {
    using test = openTestStore();
    const { routing } = test.store;
    routing.save("/a", KEY, { session_id: "s1", x: "ü", nested: { n: 1 } });
    routing.save("/b", KEY, { session_id: "s2" });
    test.clock.advance(5000);
    routing.save("/a", KEY, { session_id: "s3", x: "ü" });
    const row = { scope: "/a", sessionKey: KEY, entry: { session_id: "s3", x: "ü" }, damaged: [] };
    expect(routing.load("/a")).toEqual([{ ...row, updatedAtSeconds: test.clock.now() }]);
    expect(routing.find("/b", KEY)?.entry).toEqual({ session_id: "s2" });
    expect(test.store.read((r) => r.get("SELECT entry_json FROM gateway_routing WHERE scope = '/a'"))).toEqual({
      entry_json: '{"session_id": "s3", "x": "\\u00fc"}',
    });
    expect([routing.delete("/a", KEY), routing.delete("/a", KEY), routing.load("/a")]).toEqual([true, false, []]);
    expect(routing.find("/c", KEY)).toBeUndefined();
  });

  it("P19 COR-36 compare keys byte by byte, also after a reopen", () => {
    using test = openTestStore();
    const keys = ["agent:main:matrix:room:!AbC:srv", "agent:main:matrix:room:!abc:srv", "AGENT:main:matrix:room:!AbC:srv"];
    for (const [n, key] of keys.entries()) test.store.routing.save("", key, { session_id: `s${String(n)}` });
    test.store.close();
    using again = openStateStore({ path: test.path });
    for (const [n, key] of keys.entries()) {
      expect(again.routing.find("", key)?.entry).toEqual({ session_id: `s${String(n)}` });
    }
    expect(again.routing.load("")).toHaveLength(3);
  });

  it("COR-36 that cannot be read say so and spoil no other", () => {
    using test = openTestStore();
    const { routing } = test.store;
    for (const key of ["bad", "good", "list", "text"]) routing.save("", key, { session_id: key });
    sql(test.store, "UPDATE gateway_routing SET entry_json = '{broken' WHERE session_key = 'bad'");
    sql(test.store, "UPDATE gateway_routing SET entry_json = '[1]', updated_at = 'x' WHERE session_key = 'list'");
    sql(test.store, "UPDATE gateway_routing SET entry_json = '\"text\"' WHERE session_key = 'text'");
    const rows = routing.load("");
    expect(rows.map((row) => [row.sessionKey, row.entry, row.damaged])).toEqual([
      ["bad", undefined, ["entry"]],
      ["good", { session_id: "good" }, []],
      ["list", undefined, ["entry", "updatedAtSeconds"]],
      ["text", undefined, ["entry"]],
    ]);
  });

  it("COR-36 are replaced scope by scope, all at once", () => {
    using after = failAtEveryStatement({
      lay: ({ routing }) => {
        routing.save("/a", "old", { session_id: "1" });
        routing.save("/a", "kept", { session_id: "2" });
        routing.save("/b", "other", { session_id: "3" });
      },
      act: ({ routing }) => {
        routing.replace("/a", new Map([["kept", { session_id: "4" }], ["new", { session_id: "5" }]]));
      },
    });
    const { routing } = after.store;
    expect(after.statements).toBe(5);
    expect(routing.load("/a").map((row) => row.entry)).toEqual([{ session_id: "4" }, { session_id: "5" }]);
    expect(routing.load("/b")).toHaveLength(1);
    routing.replace("/a", new Map());
    expect(routing.load("/a")).toEqual([]);
  });

  it("COR-36 refuse misuse", () => {
    using test = openTestStore();
    const { routing } = test.store;
    expect(() => routing.save("", "", {})).toThrow(TypeError);
    expect(() => routing.save("", "k", [] as unknown as object as never)).toThrow(TypeError);
    expect(() => routing.replace("", new Map([["k", null as never]]))).toThrow(TypeError);
    expect(() => routing.load(5 as never)).toThrow(TypeError);
    expect(() => routing.recordPeer("s", { source: "x" } as never)).toThrow(TypeError);
    expect(() => routing.findSessionByOrigin({ source: "x" })).toThrow(TypeError);
    expect(() => routing.findLatestForPeer({ ...PEER, chatid: "x" } as never)).toThrow(TypeError);
  });
});

describe("recordPeer", () => {
  it("COR-36 overwrites who talks, keeps name and origin where nothing new is known", () => {
    using test = openTestStore();
    const { routing, sessions } = test.store;
    sessions.create({ id: "s1", source: "unknown", userId: "old", threadId: "t", displayName: "Ada", originJson: "{}" });
    expect(routing.recordPeer("s1", PEER)).toBe(true);
    const now = { ...PEER, threadId: null, displayName: "Ada", originJson: "{}" };
    expect(sessions.get("s1")).toMatchObject(now);
    routing.recordPeer("s1", { ...PEER, displayName: "Lin", originJson: '{"a": 1}' });
    expect(sessions.get("s1")).toMatchObject({ displayName: "Lin", originJson: '{"a": 1}' });
    expect(routing.recordPeer("nope", PEER)).toBe(false);
  });

  it("COR-36 reaches the earlier segments of the conversation when asked, and no branch", () => {
    using test = openTestStore();
    const { routing, sessions } = test.store;
    sessions.create({ id: "root", source: "cli" });
    sessions.end("root", "compression");
    sessions.create({ id: "branch", source: "cli", parentSessionId: "root", modelConfig: { _branched_from: "root" } });
    sessions.create({ id: "tip", source: "cli", parentSessionId: "root" });
    routing.recordPeer("tip", PEER);
    expect(sessions.get("root").sessionKey).toBeNull();
    routing.recordPeer("tip", PEER, { includeAncestors: true });
    expect([sessions.get("root").sessionKey, sessions.get("branch").sessionKey]).toEqual([KEY, null]);
    expect(sessions.get("root").source).toBe("telegram");
  });

  it("COR-36 SCH-06 moves no session across the line that the search index draws", () => {
    using test = openTestStore();
    const { routing, sessions, messages } = test.store;
    for (const source of ["cli", "cron", "subagent"]) {
      sessions.create({ id: source, source });
      messages.append(source, { role: "user", content: "mangosteen" });
    }
    routing.recordPeer("cli", { ...PEER, source: "cron" });
    routing.recordPeer("cron", PEER);
    routing.recordPeer("subagent", { ...PEER, source: "cron" });
    expect(["cli", "cron", "subagent"].map((id) => sessions.get(id).source)).toEqual(["cli", "cron", "cron"]);
    expect(sessions.get("cron")).toMatchObject({ sessionKey: KEY, createdSource: "cron" });
    for (const id of ["cli", "cron", "subagent"]) sql(test.store, "DELETE FROM messages WHERE session_id = ?", id);
    checkIndexes(test.store);
  });

  it("COR-36 a failure leaves every segment as it was", () => {
    using after = failAtEveryStatement({
      lay: ({ sessions }) => {
        sessions.create({ id: "root", source: "cli" });
        sessions.end("root", "compression");
        sessions.create({ id: "tip", source: "cli", parentSessionId: "root" });
      },
      act: ({ routing }) => routing.recordPeer("tip", PEER, { includeAncestors: true }),
    });
    expect(after.store.sessions.get("root").sessionKey).toBe(KEY);
  });
});

describe("listGatewaySessions", () => {
  it("COR-36 shows the newest session of every key", () => {
    using test = openTestStore();
    const { routing, sessions } = test.store;
    talk(test.store, "old", { startedAtSeconds: 10 });
    talk(test.store, "new", { startedAtSeconds: 30 });
    talk(test.store, "slack", { source: "slack", sessionKey: "k2", startedAtSeconds: 20 });
    sessions.create({ id: "no key", source: "telegram", startedAtSeconds: 90 });
    sessions.create({ id: "empty key", source: "telegram", sessionKey: "", startedAtSeconds: 91 });
    const ids = (source?: string): string[] =>
      routing.listGatewaySessions(source === undefined ? {} : { source }).map((row) => row.id);
    expect(ids()).toEqual(["new", "slack"]);
    expect(ids("slack")).toEqual(["slack"]);
    sql(test.store, "UPDATE sessions SET started_at = 5e246 WHERE id = 'old'");
    expect(ids()).toEqual(["new", "slack"]);
  });
});

describe("findSessionByOrigin", () => {
  const at = (test: TestStore, userId?: string, threadId?: string): string | undefined =>
    test.store.routing.findSessionByOrigin({
      source: "telegram",
      chatId: "c1",
      ...(userId !== undefined && { userId }),
      ...(threadId !== undefined && { threadId }),
    })?.id;

  it("T5 COR-36 of two people in one chat each finds their own, and nobody else finds either", () => {
    using test = openTestStore();
    talk(test.store, "a", { sessionKey: "k:a", userId: "a" });
    talk(test.store, "b", { sessionKey: "k:b", userId: "b" });
    expect([at(test), at(test, "a"), at(test, "b"), at(test, "c")]).toEqual([undefined, "a", "b", undefined]);
    test.store.sessions.end("b", "session_reset");
    // What is left is of one person, by its very key.
    expect([at(test, "b"), at(test, "c"), at(test)]).toEqual([undefined, undefined, "a"]);
  });

  it("COR-36 a session whose key names no person is of the whole chat", () => {
    using test = openTestStore();
    talk(test.store, "group", { sessionKey: "agent:main:telegram:group:c1", userId: "a" });
    expect([at(test), at(test, "a"), at(test, "b")]).toEqual(["group", "group", "group"]);
    talk(test.store, "own", { sessionKey: "agent:main:telegram:group:c1:b", userId: "b", startedAtSeconds: 9e9 });
    expect([at(test), at(test, "a"), at(test, "b"), at(test, "c")]).toEqual([undefined, "group", "own", undefined]);
  });

  it("COR-36 takes the newest live one with a key, in the thread that is named", () => {
    using test = openTestStore();
    talk(test.store, "old", { startedAtSeconds: 10 });
    talk(test.store, "new", { startedAtSeconds: 20 });
    talk(test.store, "ended", { startedAtSeconds: 30 });
    test.store.sessions.end("ended", "agent_close");
    talk(test.store, "keyless", { sessionKey: null, startedAtSeconds: 40 });
    talk(test.store, "thread", { threadId: "t1", startedAtSeconds: 50 });
    talk(test.store, "empty thread", { threadId: "", startedAtSeconds: 15 });
    expect([at(test, "u1"), at(test), at(test, "u1", "t1"), at(test, "u1", "t2")]).toEqual([
      "new",
      "new",
      "thread",
      undefined,
    ]);
  });
});

describe("findLatestForPeer", () => {
  const latest = (test: TestStore, peer: Partial<KeyedPeer> = {}): string | undefined =>
    test.store.routing.findLatestForPeer({ ...PEER, ...peer })?.id;

  it("T5 COR-36 finds the continuation of a keyed session that a crash left without a key", () => {
    using test = openTestStore();
    talk(test.store, "root");
    test.store.sessions.end("root", "compression");
    talk(test.store, "mid", { parentSessionId: "root" });
    test.store.sessions.end("mid", "compression");
    talk(test.store, "tip", { parentSessionId: "mid" });
    sql(test.store, "UPDATE sessions SET session_key = NULL, source = 'cli' WHERE id IN ('mid', 'tip')");
    expect(latest(test)).toBe("tip");
    sql(test.store, "UPDATE sessions SET session_key = 'agent:second:x' WHERE id = 'tip'");
    expect(latest(test)).toBeUndefined();
  });

  it("P16 COR-36 a conversation that was rotated three times is found by the key of its root", () => {
    using test = openTestStore();
    talk(test.store, "s0");
    for (const n of [1, 2, 3]) {
      test.store.sessions.end(`s${String(n - 1)}`, "compression");
      const id = `s${String(n)}`;
      test.store.sessions.create({ id, source: "telegram", parentSessionId: `s${String(n - 1)}` });
      test.store.messages.append(id, { role: "user", content: id });
    }
    expect(latest(test)).toBe("s3");
    expect(test.store.routing.findSessionByOrigin({ source: "telegram", chatId: "c1", userId: "u1" })?.id).toBe("s3");
  });

  it("P18 COR-36 what was reset does not come back, what crashed does", () => {
    using test = openTestStore();
    talk(test.store, "s1");
    test.store.sessions.end("s1", "session_reset");
    expect(latest(test)).toBeUndefined();
    talk(test.store, "s2");
    test.store.sessions.end("s2", "agent_close");
    expect(latest(test)).toBeUndefined();
    test.clock.advance(1000);
    test.store.sessions.reopen("s2");
    expect(latest(test)).toBe("s2");
    test.store.sessions.end("s2", "agent_close");
    expect(latest(test)).toBe("s2");
    test.clock.advance(1000);
    talk(test.store, "s3");
    test.store.sessions.end("s3", "daily");
    // The conversation began anew after the crash: its old half is history.
    expect(latest(test)).toBeUndefined();
  });

  it("COR-36 a live session is found beside a later one that was left", () => {
    using test = openTestStore();
    talk(test.store, "back", { startedAtSeconds: 10 });
    talk(test.store, "left", { startedAtSeconds: 20 });
    test.store.sessions.end("left", "session_switch");
    expect(latest(test)).toBe("back");
  });

  it("COR-36 needs messages, the same key and the same platform", () => {
    using test = openTestStore();
    test.store.sessions.create({ ...PEER, id: "silent" });
    talk(test.store, "other key", { sessionKey: "agent:main:telegram:dm:u2", userId: "u2" });
    talk(test.store, "other platform", { source: "slack" });
    talk(test.store, "orphan");
    test.store.sessions.end("orphan", "compression");
    expect(latest(test)).toBeUndefined();
    test.store.messages.append("silent", { role: "user", content: "x" });
    expect(latest(test)).toBe("silent");
  });

  it("COR-36 without a row of the key the whole address decides, if it is whole, and never for another agent", () => {
    using test = openTestStore();
    talk(test.store, "legacy", { sessionKey: null });
    const renamed = { sessionKey: "agent:main:telegram:dm:c1:u1" };
    expect(latest(test, renamed)).toBe("legacy");
    for (const gap of [{ chatType: null }, { chatId: null }, { userId: "u2" }, { threadId: "t" }]) {
      expect(latest(test, { ...renamed, ...gap })).toBeUndefined();
    }
    sql(test.store, "UPDATE sessions SET session_key = 'agent:second:telegram:dm:u1'");
    expect(latest(test, renamed)).toBeUndefined();
    expect(latest(test, { sessionKey: "agent:second:x" })).toBe("legacy");
  });
});

describe("what gateways write down", () => {
  it("COR-36 generations count resets per key, and no deletion takes one back", () => {
    using test = openTestStore();
    const { routing, sessions } = test.store;
    expect(routing.generation("telegram", KEY)).toBe(0);
    talk(test.store, "s1");
    sessions.end("s1", "session_reset");
    sessions.end("s1", "session_reset");
    expect(routing.generation("telegram", KEY)).toBe(1);
    sql(test.store, "DELETE FROM messages");
    sql(test.store, "DELETE FROM sessions");
    routing.replace("", new Map());
    talk(test.store, "s2");
    sessions.end("s2", "cli_close");
    expect(routing.generation("telegram", KEY)).toBe(1);
    talk(test.store, "s3");
    sessions.end("s3", "new_session");
    expect([routing.generation("telegram", KEY), routing.generation("slack", KEY)]).toEqual([2, 0]);
  });

  it("COR-36 heartbeats of gateways", () => {
    using test = openTestStore();
    const { routing } = test.store;
    routing.beat({ backendId: "b1", startedAtSeconds: 5, profile: "work", host: "h" });
    test.clock.advance(1000);
    routing.beat({ backendId: "b2", pid: 7, startedAtSeconds: 6 });
    expect(routing.heartbeats()).toMatchObject([
      { backendId: "b2", pid: 7, startedAtSeconds: 6, lastHeartbeatSeconds: test.clock.now(), profile: "", host: "" },
      { backendId: "b1", pid: process.pid, profile: "work", host: "h", damaged: [] },
    ]);
    test.clock.advance(1000);
    routing.beat({ backendId: "b1", startedAtSeconds: 5 });
    expect(routing.heartbeats()[0]).toMatchObject({ backendId: "b1", lastHeartbeatSeconds: test.clock.now() });
    expect([routing.endBeat("b1"), routing.endBeat("b1"), routing.heartbeats().length]).toEqual([true, false, 1]);
    expect(() => routing.beat({ backendId: "", startedAtSeconds: 5 })).toThrow(TypeError);
  });

  it("COR-36 failures of housekeeping in a row", () => {
    using test = openTestStore();
    const { routing } = test.store;
    expect(routing.hygieneFailures(KEY)).toBe(0);
    expect([1, 2, 3].map(() => routing.countHygieneFailure(KEY))).toEqual([1, 2, 3]);
    expect([routing.hygieneFailures(KEY), routing.hygieneFailures("other")]).toEqual([3, 0]);
    expect([routing.clearHygieneFailures(KEY), routing.clearHygieneFailures(KEY)]).toEqual([true, false]);
    expect(routing.hygieneFailures(KEY)).toBe(0);
  });
});

describePeer("routes of a real file", () => {
  it.each(["read", "write"] as const)("COR-36 are read as the peer wrote them, opened for %s", (mode) => {
    using dir = tempDir("routes");
    using store = openStateStore({ path: copyPeerFile("peer-v26.db", dir), mode });
    const { routing } = store;
    expect(routing.load("/s")).toEqual([
      {
        scope: "/s",
        sessionKey: "tg:user-lin",
        entry: { session_id: "20260301_100000_cccc02", x: "ü" },
        updatedAtSeconds: 1783000997.75,
        damaged: [],
      },
    ]);
    const lin = { source: "telegram", sessionKey: "tg:user-lin", userId: "user-lin", chatId: "chat-77", chatType: "dm" };
    expect(routing.findLatestForPeer(lin)?.id).toBe("20260301_100000_cccc02");
    const ada = { source: "telegram", sessionKey: "tg:user-ada" };
    expect(routing.findLatestForPeer(ada)?.id).toBe("20260302_090000_qqqq06");
    expect(routing.heartbeats()).toEqual([]);
    expect(routing.listGatewaySessions().map((row) => row.id)).toEqual([
      "20260302_090000_qqqq06",
      "20260301_100000_cccc02",
    ]);
  });
});
