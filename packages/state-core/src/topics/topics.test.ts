import { copyPeerFile, describePeer, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import { failAtEveryStatement } from "../../test/support/every-statement.js";
import { openStateStore } from "../index.js";
import type { StateStore } from "../index.js";

const BINDING = { chatId: "c1", threadId: "7", userId: "u1", sessionKey: "k1", sessionId: "s1" };

function topicTables(store: StateStore): unknown[] {
  return store.read((r) => r.all<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE '%dm_topic%'"));
}

describe("topics", () => {
  it("T6 COR-36 have no tables in a fresh file, and every question is answered with nothing", () => {
    using test = openTestStore();
    using reading = openStateStore({ path: test.path, mode: "read" });
    for (const { topics } of [test.store, reading]) {
      expect(topics.mode("c1")).toBeUndefined();
      expect(topics.bindingAt("c1", "7")).toBeUndefined();
      expect(topics.bindingOf("s1")).toBeUndefined();
      expect(topics.bindings("c1")).toEqual([]);
    }
    expect([test.store.topics.disable("c1"), test.store.topics.unbind("c1", "7")]).toEqual([false, false]);
    expect(topicTables(test.store)).toEqual([]);
  });

  it("T6 COR-36 are made with the first chat that opts in; the binding goes with its session", () => {
    using test = openTestStore();
    const { topics, sessions, meta } = test.store;
    topics.enable("c1", "u1", { hasTopicsEnabled: true });
    expect(topicTables(test.store)).toHaveLength(4 + 2);
    expect(meta.get("telegram_dm_topic_schema_version")).toBe("2");
    expect(topics.mode("c1")).toMatchObject({
      userId: "u1",
      enabled: true,
      hasTopicsEnabled: true,
      allowsUsersToCreateTopics: null,
      capabilityCheckedAtSeconds: test.clock.now(),
    });
    sessions.create({ id: "s1", source: "telegram" });
    topics.bind(BINDING);
    expect(topics.bindingOf("s1")).toMatchObject({ ...BINDING, managedMode: "auto", linkedAtSeconds: test.clock.now() });
    sql(test.store, "DELETE FROM sessions WHERE id = 's1'");
    expect(topics.bindings("c1")).toEqual([]);
  });

  it("COR-36 a session is shown in one topic; a topic may go on to another session", () => {
    using test = openTestStore();
    const { topics, sessions } = test.store;
    for (const id of ["s1", "s2"]) sessions.create({ id, source: "telegram" });
    topics.bind(BINDING);
    const error = stateErrorOf(() => topics.bind({ ...BINDING, threadId: "8" }));
    expect([error.code, error.facts]).toEqual(["STATE_E_TOPIC_TAKEN", { sessionId: "s1", chatId: "c1", threadId: "7" }]);
    topics.bind({ ...BINDING, sessionId: "s2" });
    expect(topics.bindingOf("s1")).toBeUndefined();
    expect(topics.bindingAt("c1", "7")?.sessionId).toBe("s2");
    topics.bind({ ...BINDING, threadId: "8" });
    expect(topics.bindings("c1").map((binding) => binding.threadId)).toEqual(["7", "8"]);
    expect(stateErrorOf(() => topics.bind({ ...BINDING, sessionId: "no" })).code).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(() => topics.bind({ ...BINDING, chatId: "" })).toThrow(TypeError);
  });

  it("COR-36 with the last binding of a chat its topics end, in the same transaction", () => {
    using after = failAtEveryStatement({
      lay: ({ topics, sessions }) => {
        sessions.create({ id: "s1", source: "telegram" });
        topics.enable("c1", "u1");
        topics.bind(BINDING);
      },
      act: ({ topics }) => topics.unbind("c1", "7"),
    });
    const { topics } = after.store;
    expect([topics.mode("c1")?.enabled, topics.bindings("c1")]).toEqual([false, []]);
    topics.enable("c1", "u1");
    expect(topics.mode("c1")?.enabled).toBe(true);
  });

  it("COR-36 opting in and binding do all or nothing, tables included", () => {
    using after = failAtEveryStatement({
      lay: ({ sessions }) => sessions.create({ id: "s1", source: "telegram" }),
      act: (store) => {
        store.topics.bind(BINDING);
      },
    });
    expect(after.statements).toBeGreaterThan(6);
    expect(after.store.topics.bindingOf("s1")?.threadId).toBe("7");
  });

  it("COR-36 bindings of version 1 are rebuilt so that they go with their session; orphans among them go at once", () => {
    using test = openTestStore();
    const { topics, sessions } = test.store;
    sessions.create({ id: "s1", source: "telegram" });
    sql(
      test.store,
      `CREATE TABLE telegram_dm_topic_bindings (chat_id TEXT NOT NULL, thread_id TEXT NOT NULL, user_id TEXT NOT NULL,
        session_key TEXT NOT NULL, session_id TEXT NOT NULL, managed_mode TEXT NOT NULL DEFAULT 'auto',
        linked_at REAL NOT NULL, updated_at REAL NOT NULL, PRIMARY KEY (chat_id, thread_id))`,
    );
    sql(test.store, "CREATE UNIQUE INDEX idx_telegram_dm_topic_bindings_session ON telegram_dm_topic_bindings(session_id)");
    sql(test.store, "INSERT INTO telegram_dm_topic_bindings VALUES ('c1', '7', 'u1', 'k1', 's1', 'manual', 1, 2)");
    sql(test.store, "INSERT INTO telegram_dm_topic_bindings VALUES ('c1', '8', 'u1', 'k1', 'gone', 'auto', 1, 2)");
    expect(topics.bindings("c1")).toHaveLength(2);
    topics.enable("c1", "u1");
    expect(topics.bindings("c1")).toMatchObject([{ threadId: "7", managedMode: "manual", linkedAtSeconds: 1 }]);
    sql(test.store, "DELETE FROM sessions WHERE id = 's1'");
    expect(topics.bindings("c1")).toEqual([]);
  });
});

describePeer("topics of a real file", () => {
  it("T6 COR-36 are read as the peer wrote them", () => {
    using dir = tempDir("topics");
    using store = openStateStore({ path: copyPeerFile("peer-v26.db", dir) });
    expect(store.topics.mode("chat-1")).toMatchObject({ userId: "user-ada", enabled: true, damaged: [] });
    const binding = { chatId: "chat-1", threadId: "77", sessionKey: "tg:user-ada:77" };
    expect(store.topics.bindings("chat-1")).toMatchObject([binding]);
    expect(store.topics.bindingOf("20260302_090000_qqqq06")).toMatchObject(binding);
  });
});
