import { describe, expect, it } from "vitest";
import { codeOf, openSessionDb } from "./support/open-session-db.js";
import type { TestDb } from "./support/open-session-db.js";

const plain = (row: unknown): Record<string, unknown> => row as Record<string, unknown>;
const PEER = { source: "telegram", userId: "u1", sessionKey: "k1", chatId: "c1", chatType: "dm", threadId: null };

function withPeer(rows: "camel" | "peer" = "camel"): TestDb {
  const test = openSessionDb({ rows });
  test.db.createSession("s1", "telegram");
  test.db.appendMessage("s1", "user", "x");
  test.db.recordGatewaySessionPeer("s1", { ...PEER, displayName: "Ann", originJson: { chat: "c1" } });
  return test;
}

describe("peers in the one-object store", () => {
  it("CPT-01 are written down, and what is known of them stays", () => {
    using test = withPeer("peer");
    const { db } = test;
    expect(db.recordGatewaySessionPeer("s1", { ...PEER, threadId: "7" })).toBe(true);
    expect(plain(db.getSession("s1"))).toMatchObject({
      session_key: "k1",
      user_id: "u1",
      chat_id: "c1",
      chat_type: "dm",
      thread_id: "7",
      display_name: "Ann",
      origin_json: '{"chat": "c1"}',
    });
    expect(db.recordGatewaySessionPeer("none", PEER)).toBe(false);
    expect(() => db.recordGatewaySessionPeer("s1", { source: "telegram" })).toThrow(TypeError);
    expect(() => db.recordGatewaySessionPeer("s1", { ...PEER, user: "u" } as never)).toThrow(TypeError);
  });

  it("CPT-01 are found again by place, and by what they were last in", () => {
    using test = withPeer();
    const { db } = test;
    expect(db.findSessionByOrigin({ platform: "telegram", chatId: "c1", userId: "u1" })).toBe("s1");
    expect(db.findSessionByOrigin({ platform: "telegram", chatId: "c2" })).toBeNull();
    expect(() => db.findSessionByOrigin({ platform: "telegram" })).toThrow(TypeError);
    db.endSession("s1", "agent_close");
    db.updateSystemPrompt("s1", "you are");
    expect(db.findLatestGatewaySessionForPeer(PEER)).toMatchObject({ id: "s1", systemPrompt: "you are" });
    expect(db.findLatestGatewaySessionForPeer({ ...PEER, sessionKey: "k2", chatId: "c9" })).toBeNull();
    db.promoteToSessionReset("s1");
    expect(db.findLatestGatewaySessionForPeer(PEER)).toBeNull();
  });

  it("CPT-01 have their newest sessions listed, of one platform, and without those that ended", () => {
    using test = withPeer();
    const { db } = test;
    expect(db.listGatewaySessions({ platform: "telegram" }).map((row) => row.id)).toEqual(["s1"]);
    expect(db.listGatewaySessions({ platform: "slack" })).toEqual([]);
    db.endSession("s1", "idle");
    expect([db.listGatewaySessions().length, db.listGatewaySessions({ activeOnly: true }).length]).toEqual([1, 0]);
    expect(() => db.listGatewaySessions({ source: "telegram" } as never)).toThrow(TypeError);
  });

  it("CPT-01 have the end of their time dealt with", () => {
    using test = withPeer();
    const { db } = test;
    expect([db.setExpiryFinalized("s1", true), db.setExpiryFinalized("none", true)]).toEqual([true, false]);
    expect(db.getSession("s1")?.expiryFinalized).toBe(true);
    expect(db.setExpiryFinalized("s1", false) && db.getSession("s1")?.expiryFinalized).toBe(false);
    expect(() => db.setExpiryFinalized("s1", 1 as never)).toThrow(TypeError);
  });
});

describe("routes in the one-object store", () => {
  it("CPT-01 are saved, loaded as text, replaced and deleted per scope", () => {
    using test = openSessionDb();
    const { db } = test;
    db.saveGatewayRoutingEntry("k1", '{"session_id": "s1", "n": 1.5}');
    db.saveGatewayRoutingEntry("k1", { session_id: "other" }, { scope: "work" });
    expect(db.loadGatewayRoutingEntries()).toEqual({ k1: '{"session_id": "s1", "n": 1.5}' });
    db.replaceGatewayRoutingEntries({ k2: "{}", k3: { session_id: "s3" } });
    expect(Object.keys(db.loadGatewayRoutingEntries())).toEqual(["k2", "k3"]);
    db.replaceGatewayRoutingEntries(new Map([["__proto__", { session_id: "odd" }]]), { scope: "odd" });
    expect(Object.keys(db.loadGatewayRoutingEntries({ scope: "odd" }))).toEqual(["__proto__"]);
    expect(db.deleteGatewayRoutingEntries(["k2", "none"])).toBe(1);
    expect(db.deleteGatewayRoutingEntries("k3")).toBe(1);
    expect(db.loadGatewayRoutingEntries({ scope: "work" })).toEqual({ k1: '{"session_id": "other"}' });
  });

  it("CPT-10 are given out as the text that is stored, and nothing that is no object", () => {
    using test = openSessionDb();
    const { db } = test;
    const stored = ['{"a":1.0,"b":"\\u00e9"}', "[]", "{", 7];
    db.store.write("store what another program wrote", (w) => {
      for (const [at, text] of stored.entries()) {
        w.run("INSERT INTO gateway_routing (session_key, entry_json, updated_at) VALUES (?, ?, 1)", [`k${at}`, text]);
      }
    });
    expect(db.loadGatewayRoutingEntries()).toEqual({ k0: stored[0] });
    expect(() => db.loadGatewayRoutingEntries({ scope: 7 as never })).toThrow(TypeError);
  });

  it("CPT-10 replacing does nothing when any entry is no object", () => {
    using test = openSessionDb();
    const { db } = test;
    db.saveGatewayRoutingEntry("k1", "{}");
    for (const bad of ["not json", "[]", 7]) {
      expect(() => db.replaceGatewayRoutingEntries({ k2: "{}", k3: bad as never })).toThrow(TypeError);
    }
    expect(() => db.saveGatewayRoutingEntry("k1", "{}", { space: "" } as never)).toThrow(TypeError);
    expect(db.loadGatewayRoutingEntries()).toEqual({ k1: "{}" });
  });
});

describe("handoffs in the one-object store", () => {
  it("CPT-01 are asked for, claimed once, done or failed", () => {
    using test = openSessionDb({ rows: "peer" });
    const { db } = test;
    for (const id of ["s1", "s2"]) {
      test.clock.advance(1_000);
      db.createSession(id, "cli");
    }
    expect([db.getHandoffState("s1"), db.getHandoffState("none")]).toEqual([null, null]);
    expect([db.requestHandoff("s1", "telegram"), db.requestHandoff("s1", "x"), db.requestHandoff("none", "x")]).toEqual(
      [true, false, false],
    );
    db.requestHandoff("s2", "slack");
    expect(db.listPendingHandoffs().map((row) => [row.id, plain(row)["handoff_platform"]])).toEqual([
      ["s1", "telegram"],
      ["s2", "slack"],
    ]);
    expect([db.claimHandoff("s1"), db.claimHandoff("s1")]).toEqual([true, false]);
    expect(db.getHandoffState("s1")).toEqual({ state: "running", platform: "telegram", error: null });
    expect(db.failHandoff("s1", "x".repeat(600))).toBe(true);
    expect(db.getHandoffState("s1")?.error).toHaveLength(500);
    expect([db.claimHandoff("s2"), db.completeHandoff("s2"), db.completeHandoff("s2")]).toEqual([true, true, false]);
    expect(db.getHandoffState("s2")?.state).toBe("completed");
    expect(db.listPendingHandoffs()).toEqual([]);
    expect(() => db.requestHandoff("s1", 7 as never)).toThrow(TypeError);
  });
});

describe("topics in the one-object store", () => {
  const BINDING = { chatId: "c1", threadId: "7", userId: "u1", sessionKey: "k1", sessionId: "s1" };

  it("CPT-01 T6 are not there until somebody asks for them", () => {
    using test = openSessionDb();
    const { db } = test;
    const tables = (): unknown[] =>
      db.store.read((r) => r.all("SELECT name FROM sqlite_master WHERE name LIKE '%dm_topic%'"));
    expect(db.isTelegramTopicModeEnabled({ chatId: "c1", userId: "u1" })).toBe(false);
    expect(db.getTelegramTopicBinding({ chatId: "c1", threadId: "7" })).toBeNull();
    expect(db.getTelegramTopicBindingBySession({ sessionId: "s1" })).toBeNull();
    expect(db.listTelegramTopicBindingsForChat({ chatId: "c1" })).toEqual([]);
    expect(db.deleteTelegramTopicBinding({ chatId: "c1", threadId: "7" })).toBe(false);
    expect(tables()).toEqual([]);
    db.applyTelegramTopicMigration();
    db.applyTelegramTopicMigration();
    expect(tables().length).toBeGreaterThan(1);
  });

  it("CPT-01 are turned on, show sessions, and are turned off with what they showed", () => {
    using test = openSessionDb({ rows: "peer" });
    const { db } = test;
    db.createSession("s1", "telegram");
    db.createSession("s2", "telegram");
    db.enableTelegramTopicMode({ chatId: "c1", userId: "u1", hasTopicsEnabled: true, allowsUsersToCreateTopics: null });
    expect(db.isTelegramTopicModeEnabled({ chatId: "c1", userId: "u1" })).toBe(true);
    expect(db.isTelegramTopicModeEnabled({ chatId: "c1", userId: "u2" })).toBe(false);
    db.bindTelegramTopic(BINDING);
    db.bindTelegramTopic({ ...BINDING, threadId: "8", sessionId: "s2", managedMode: "manual" });
    expect(codeOf(() => db.bindTelegramTopic({ ...BINDING, threadId: "9" }))).toBe("STATE_E_TOPIC_TAKEN");
    expect(codeOf(() => db.bindTelegramTopic({ ...BINDING, sessionId: "none" }))).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(plain(db.getTelegramTopicBinding({ chatId: "c1", threadId: "7" }))).toMatchObject({
      session_id: "s1",
      managed_mode: "auto",
    });
    expect(plain(db.getTelegramTopicBindingBySession({ sessionId: "s2" }))).toMatchObject({ thread_id: "8" });
    expect(db.listTelegramTopicBindingsForChat({ chatId: "c1" })).toHaveLength(2);
    expect(db.isTelegramSessionLinkedToTopic({ sessionId: "s1" })).toBe(true);
    expect(db.deleteTelegramTopicBinding({ chatId: "c1", threadId: "8" })).toBe(true);
    db.disableTelegramTopicMode({ chatId: "c1", clearBindings: false });
    expect(db.listTelegramTopicBindingsForChat({ chatId: "c1" })).toHaveLength(1);
    db.disableTelegramTopicMode({ chatId: "c1" });
    expect(db.isTelegramSessionLinkedToTopic({ sessionId: "s1" })).toBe(false);
    expect(db.isTelegramTopicModeEnabled({ chatId: "c1", userId: "u1" })).toBe(false);
  });

  it("CPT-01 offer the sessions of a user that none of them shows", () => {
    using test = openSessionDb();
    const { db } = test;
    for (const [id, userId, chatId] of [
      ["s1", "u1", "c1"],
      ["s2", "u1", "c1"],
      ["s3", "u2", "c1"],
      ["s4", "u1", "group"],
    ] as const) {
      test.clock.advance(1_000);
      db.createSession(id, "telegram");
      db.recordGatewaySessionPeer(id, { source: "telegram", sessionKey: `k-${id}`, userId, chatId });
      db.appendMessage(id, "user", id);
    }
    db.bindTelegramTopic(BINDING);
    const of = (limit?: number): string[] =>
      db
        .listUnlinkedTelegramSessionsForUser({ chatId: "c1", userId: "u1", ...(limit !== undefined && { limit }) })
        .map((row) => row.id);
    expect(of()).toEqual(["s2"]);
    db.deleteTelegramTopicBinding({ chatId: "c1", threadId: "7" });
    expect([of(), of(1)]).toEqual([["s2", "s1"], ["s2"]]);
  });

  it("CPT-01 refuse a call without a chat, and misspelt names", () => {
    using test = openSessionDb();
    const { db } = test;
    expect(() => db.enableTelegramTopicMode({ chatId: "c1" })).toThrow(TypeError);
    expect(() => db.getTelegramTopicBinding({ chatId: "c1" })).toThrow(TypeError);
    expect(() => db.listTelegramTopicBindingsForChat({ chat: "c1" } as never)).toThrow(TypeError);
    expect(() => db.bindTelegramTopic({ ...BINDING, sessionKey: "" })).toThrow(TypeError);
  });
});
