import { describe, expect, it } from "vitest";
import { failAtEveryStatement } from "../../test/support/every-statement.js";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import type { JsonObject, PeerRecord, RouteTransition, SessionFields, StateStore } from "../index.js";

const KEY = "agent:main:telegram:dm:c1";
const PEER: PeerRecord = { source: "telegram", sessionKey: KEY, userId: "u1", chatId: "c1", chatType: "dm" };

const HANDOFF = { messages: [{ role: "user", content: "summary" }], watermark: 0, requireLease: false };

function talk(store: StateStore, id: string, fields: Partial<SessionFields> = {}): void {
  store.sessions.create({ ...PEER, ...fields, id });
  store.messages.append(id, { role: "user", content: `from ${id}` });
}

function entry(sessionId: string): JsonObject {
  return { session_key: KEY, session_id: sessionId };
}

/** A step of the peer's route to a session. */
function step(to: string | null, more: Partial<RouteTransition> = {}): RouteTransition {
  return { scope: "", sessionKey: KEY, entry: to === null ? null : entry(to), ...more };
}

function routed(store: StateStore): unknown {
  return store.routing.find("", KEY)?.entry?.["session_id"];
}

describe("a step of a route", () => {
  it("GWS-02 leaves one session, begins the next and moves the entry, all at once", () => {
    using test = openTestStore();
    const { store, clock } = test;
    talk(store, "s1");
    store.routing.save("", KEY, entry("s1"));
    store.routing.save("", "other", { session_id: "s1" });
    store.routing.save("/b", KEY, entry("s1"));
    const receipt = store.routing.transition(
      step("s2", {
        expectedSessionId: "s1",
        leave: { sessionId: "s1", reason: "session_reset" },
        create: { ...PEER, id: "s2", parentSessionId: "s1", title: "next" },
        peer: { sessionId: "s2", record: { ...PEER, displayName: "Ann", originJson: "{}" } },
      }),
    );
    const stored = { scope: "", sessionKey: KEY, entry: entry("s2"), updatedAtSeconds: clock.now(), damaged: [] };
    expect(receipt).toEqual({ applied: true, stored, created: true, titleGiven: null });
    expect(store.sessions.get("s1")).toMatchObject({ endReason: "session_reset", endedAtSeconds: clock.now() });
    expect(store.sessions.get("s2")).toMatchObject({
      parentSessionId: "s1",
      modelConfig: { _reset_from: "s1" },
      title: "next",
      displayName: "Ann",
      sessionKey: KEY,
      endReason: null,
    });
    expect(store.routing.generation("telegram", KEY)).toBe(1);
    expect(store.routing.find("", "other")?.entry).toEqual({ session_id: "s1" });
    expect(store.routing.find("/b", KEY)?.entry).toEqual(entry("s1"));
  });

  it("GWS-02 is not taken when the entry names another session than expected", () => {
    using test = openTestStore();
    const { store } = test;
    talk(store, "s1");
    store.routing.save("", KEY, entry("s1"));
    const refused = step("s3", {
      expectedSessionId: "s0",
      leave: { sessionId: "s1", reason: "session_reset" },
      create: { ...PEER, id: "s3" },
      replacesKey: "old",
    });
    store.routing.save("", "old", entry("s1"));
    expect(store.routing.transition(refused)).toMatchObject({
      applied: false,
      created: false,
      stored: { entry: entry("s1") },
    });
    expect(store.routing.transition({ ...refused, expectedSessionId: null }).applied).toBe(false);
    expect(store.sessions.get("s1").endReason).toBeNull();
    expect(store.sessions.find("s3")).toBeUndefined();
    expect(store.routing.find("", "old")).toBeDefined();
    store.routing.delete("", KEY);
    expect(store.routing.transition(refused)).toMatchObject({ applied: false, stored: undefined });
    expect(store.routing.transition({ ...refused, expectedSessionId: null })).toMatchObject({
      applied: true,
      created: true,
    });
    expect([routed(store), store.routing.find("", "old")]).toEqual(["s3", undefined]);
  });

  it("GWS-02 takes an entry that cannot be read for none, and deletes one", () => {
    using test = openTestStore();
    const { store } = test;
    for (const bad of ["{broken", "[1]", '{"session_id": 7}', "{}"]) {
      store.routing.save("", KEY, entry("x"));
      sql(store, "UPDATE gateway_routing SET entry_json = ?", bad);
      expect(store.routing.transition(step("s1", { expectedSessionId: "x" })).applied).toBe(false);
      expect(store.routing.transition(step("s1", { expectedSessionId: null })).applied).toBe(true);
    }
    expect(store.routing.transition(step(null, { expectedSessionId: "s1" }))).toMatchObject({
      applied: true,
      stored: undefined,
    });
    expect(store.routing.load("")).toEqual([]);
  });

  it("GWS-07 lets the generations of an older spelling go on under the new one, and lowers none", () => {
    using test = openTestStore();
    const { store } = test;
    const generations = (key: string): number[] => ["telegram", "slack"].map((s) => store.routing.generation(s, key));
    const reset = (sessionKey: string, source: string, id: string): void => {
      store.sessions.create({ id, source, sessionKey });
      store.sessions.end(id, "session_reset");
    };
    for (const id of ["a", "b", "c"]) reset("old", "telegram", id);
    reset("old", "slack", "d");
    for (const id of ["e", "f"]) reset(KEY, "slack", id);
    store.routing.transition(step("s1", { replacesKey: "old", expectedSessionId: "none" }));
    expect(generations(KEY)).toEqual([0, 2]);
    store.routing.transition(step("s1", { replacesKey: "old" }));
    expect([generations(KEY), generations("old")]).toEqual([
      [3, 2],
      [3, 1],
    ]);
  });

  it("GWS-11 applies what was asked for before the row existed, in the transaction that makes it", () => {
    using test = openTestStore();
    const { store } = test;
    talk(store, "s0", { title: "Trip" });
    const create = { ...PEER, id: "s1", title: "  Trip\u200b ", parentSessionId: "never made" };
    const receipt = store.routing.transition(
      step("s1", { create, flags: { pinned: true, hidden: true, archived: false } }),
    );
    expect(receipt).toMatchObject({ created: true, titleGiven: "Trip #2" });
    expect(store.sessions.get("s1")).toMatchObject({
      title: "Trip #2",
      titleSource: "user",
      pinned: true,
      hidden: true,
      archived: false,
      parentSessionId: null,
      modelConfig: null,
    });
  });

  it("GWS-11 completes a row that somebody else made first; what that one set stays", () => {
    using test = openTestStore();
    const { store } = test;
    talk(store, "s0");
    store.sessions.create({ id: "s1", source: "unknown", chatId: "theirs" });
    const create = { ...PEER, id: "s1", title: "mine", parentSessionId: "s0" };
    const receipt = store.routing.transition(step("s1", { create, flags: { hidden: true } }));
    expect(receipt).toMatchObject({ created: false, titleGiven: null });
    const row = {
      source: "telegram",
      sessionKey: KEY,
      chatId: "theirs",
      title: "mine",
      hidden: false,
      parentSessionId: null,
    };
    expect(store.sessions.get("s1")).toMatchObject(row);
    store.routing.transition(step("s1", { create: { ...create, title: "again" } }));
    expect(store.sessions.get("s1").title).toBe("mine");
  });

  it("GWS-03 P18 leaves the conversation where it is now, though it was rotated meanwhile", () => {
    using test = openTestStore();
    const { store } = test;
    talk(store, "s1");
    store.routing.save("", KEY, entry("s1"));
    store.compaction.rotate("s1", { id: "s1b" }, HANDOFF);
    const leave = { sessionId: "s1", reason: "session_reset" };
    const create = { ...PEER, id: "s2", parentSessionId: "s1" };
    store.routing.transition(step("s2", { expectedSessionId: "s1", leave, create }));
    expect(store.sessions.get("s1b").endReason).toBe("session_reset");
    expect(store.sessions.get("s1").endReason).toBe("compression");
    expect(store.sessions.get("s2")).toMatchObject({ parentSessionId: "s1b", modelConfig: { _reset_from: "s1b" } });
    expect(store.lineage.tip("s1")).toBe("s1b");
    expect(store.routing.findLatestForPeer(PEER)).toBeUndefined();
    expect(store.routing.generation("telegram", KEY)).toBe(1);
  });

  it("GWS-03 P18 restamps an accidental end by a deliberate one, and no other", () => {
    using test = openTestStore();
    const { store } = test;
    const cases = [
      ["agent_close", "session_reset", "session_reset"],
      ["agent_close", "new_session", "new_session"],
      ["agent_close", "user_exit", "agent_close"],
      ["user_exit", "session_reset", "user_exit"],
    ] as const;
    for (const [n, [had, reason, then]] of cases.entries()) {
      const id = `s${String(n)}`;
      talk(store, id);
      store.sessions.end(id, had);
      store.routing.transition(step("next", { leave: { sessionId: id, reason } }));
      expect(store.sessions.get(id).endReason).toBe(then);
    }
    expect(store.routing.generation("telegram", KEY)).toBe(2);
    store.routing.transition(step("next", { leave: { sessionId: "never made", reason: "idle" } }));
    expect(store.routing.generation("telegram", KEY)).toBe(2);
  });

  it("GWS-03 P18 recovers what an accident ended, and does not take the step once it was left on purpose", () => {
    using test = openTestStore();
    const { store } = test;
    for (const id of ["crashed", "reset", "live"]) talk(store, id);
    store.sessions.end("crashed", "agent_close");
    store.sessions.end("reset", "agent_close");
    store.sessions.promoteToReset("reset");
    expect(store.routing.transition(step("reset", { recover: "reset" }))).toMatchObject({ applied: false });
    expect([store.sessions.get("reset").endReason, routed(store)]).toEqual(["session_reset", undefined]);
    for (const id of ["crashed", "live", "no row yet"]) {
      expect(store.routing.transition(step(id, { recover: id })).applied).toBe(true);
      expect(routed(store)).toBe(id);
    }
    expect(store.sessions.get("crashed").endReason).toBeNull();
    store.routing.transition(
      step("reset", { reopen: "reset", leave: { sessionId: "live", reason: "session_switch" } }),
    );
    expect(store.sessions.get("reset").endReason).toBeNull();
    expect(store.sessions.get("live").endReason).toBe("session_switch");
  });

  it("GWS-03 P15 reopens no segment that another one continues, but an orphan", () => {
    using test = openTestStore();
    const { store } = test;
    talk(store, "s1");
    store.compaction.rotate("s1", { id: "s2" }, HANDOFF);
    store.routing.transition(step("s2", { reopen: "s1" }));
    expect(store.sessions.get("s1").endReason).toBe("compression");
    sql(store, "UPDATE sessions SET end_reason = 'compression', ended_at = 1 WHERE id = 's2'");
    store.routing.transition(step("s2", { recover: "s2" }));
    expect(store.sessions.get("s2").endReason).toBeNull();
  });

  it("GWS-04 records the peer of a conversation, and of no fork of it", () => {
    using test = openTestStore();
    const { store } = test;
    store.sessions.create({ id: "root", source: "cli" });
    store.messages.append("root", { role: "user", content: "a" });
    store.sessions.create({
      id: "branch",
      source: "cli",
      parentSessionId: "root",
      modelConfig: { _branched_from: "root" },
    });
    store.compaction.rotate("root", { id: "tip" }, HANDOFF);
    store.routing.transition(step("tip", { peer: { sessionId: "tip", record: PEER, includeAncestors: true } }));
    const keys = ["root", "tip", "branch"].map((id) => store.sessions.get(id).sessionKey);
    expect(keys).toEqual([KEY, KEY, null]);
  });

  it("GWS-10 refuses what is no step, before anything is written", () => {
    using test = openTestStore();
    const { routing } = test.store;
    const wrong: object[] = [
      { sesionKey: "x" },
      { scope: 1 },
      { sessionKey: "" },
      { entry: [] },
      { expectedSessionId: "" },
      { replacesKey: "" },
      { reopen: 1 },
      { recover: "" },
      { leave: { sessionId: "s1" } },
      { leave: { sessionId: "s1", reason: "idle", at: 1 } },
      { create: { source: "telegram" } },
      { create: { id: "s1", source: "telegram", colour: 1 } },
      { flags: { starred: true } },
      { flags: { hidden: 1 } },
      { peer: { sessionId: "s1", record: { source: "telegram" } } },
    ];
    for (const part of wrong) {
      expect(() => routing.transition({ ...step("s1"), ...part }), JSON.stringify(part)).toThrow(
        TypeError,
      );
    }
    const create = { ...PEER, id: "s1", title: "x".repeat(101) };
    expect(stateErrorOf(() => routing.transition(step("s1", { create }))).code).toBe("STATE_E_TITLE_TOO_LONG");
    expect(routing.load("")).toEqual([]);
  });

  it("GWS-10 that fails at any statement changes nothing", () => {
    using after = failAtEveryStatement({
      lay: (store) => {
        talk(store, "s1", { title: "Trip" });
        talk(store, "s0");
        store.sessions.end("s0", "user_exit");
        store.routing.save("", KEY, entry("s1"));
        store.routing.save("", "old", entry("s1"));
      },
      act: (store) =>
        store.routing.transition(
          step("s2", {
            expectedSessionId: "s1",
            leave: { sessionId: "s1", reason: "session_reset" },
            create: { ...PEER, id: "s2", parentSessionId: "s1", title: "Trip" },
            flags: { pinned: true },
            reopen: "s0",
            peer: { sessionId: "s2", record: { ...PEER, displayName: "Ann" }, includeAncestors: true },
            replacesKey: "old",
          }),
        ),
    });
    expect(after.statements).toBeGreaterThanOrEqual(12);
    expect(after.store.sessions.get("s2")).toMatchObject({ title: "Trip #2", pinned: true, displayName: "Ann" });
    expect(after.store.routing.load("")).toHaveLength(1);
  });
});

describe("routes that others may change", () => {
  it("GWS-02 are saved over the same session only", () => {
    using test = openTestStore();
    const { routing } = test.store;
    expect(routing.saveOver("", KEY, entry("s1"), "s1")).toBe(false);
    routing.save("", KEY, entry("s1"));
    expect(routing.saveOver("", KEY, { ...entry("s1"), turns: 2 }, "s1")).toBe(true);
    expect(routing.saveOver("", KEY, entry("s0"), "s0")).toBe(false);
    expect(routing.find("", KEY)?.entry).toEqual({ ...entry("s1"), turns: 2 });
    sql(test.store, "UPDATE gateway_routing SET entry_json = '{broken'");
    expect(routing.saveOver("", KEY, entry("s1"), "s1")).toBe(false);
  });

  it("GWS-02 are added where they are missing, and no stored one is touched", () => {
    using test = openTestStore();
    const { routing } = test.store;
    routing.save("", "b", { session_id: "stored" });
    const entries = new Map(["a", "b", "c"].map((key) => [key, { session_id: key }]));
    expect(routing.addMissing("", entries)).toEqual(["a", "c"]);
    expect(routing.addMissing("", entries)).toEqual([]);
    expect(routing.load("").map((row) => row.entry?.["session_id"])).toEqual(["a", "stored", "c"]);
    expect(() =>
      routing.addMissing(
        "",
        new Map([
          ["d", { session_id: "d" }],
          ["", {}],
        ]),
      ),
    ).toThrow(TypeError);
    expect(routing.find("", "d")).toBeUndefined();
  });
});
