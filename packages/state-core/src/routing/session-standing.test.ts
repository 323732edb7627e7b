import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import type { StateStore } from "../index.js";

function talk(store: StateStore, id: string): void {
  store.sessions.create({ id, source: "telegram", sessionKey: "k" });
  store.messages.append(id, { role: "user", content: `from ${id}` });
}

function rotate(store: StateStore, from: string, to: string): void {
  const messages = [{ role: "user", content: "summary" }];
  store.compaction.rotate(from, { id: to }, { messages, watermark: 0, requireLease: false });
}

describe("how a session stands", () => {
  it("GWS-03 says whether it is there, lives, and when it was last active", () => {
    using test = openTestStore();
    const { store, clock } = test;
    const { routing } = store;
    const none = { endReason: null, endedAtSeconds: null, activeAtSeconds: null, spoken: false, pinned: false };
    expect(routing.standing("s1")).toEqual({ sessionId: "s1", state: "missing", tip: "s1", tipLive: false, ...none });
    store.sessions.create({ id: "s1", source: "telegram" });
    expect(routing.standing("s1")).toEqual({ sessionId: "s1", state: "live", tip: "s1", tipLive: true, ...none });
    const spokenAt = clock.now();
    store.messages.append("s1", { role: "user", content: "hi" });
    clock.advance(9_000);
    expect(routing.standing("s1")).toMatchObject({ state: "live", spoken: true, activeAtSeconds: spokenAt });
    store.sessions.setFlag("s1", "pinned", true);
    expect(routing.standing("s1").pinned).toBe(true);
    store.sessions.end("s1", "agent_close");
    expect(routing.standing("s1")).toMatchObject({
      state: "ended",
      endReason: "agent_close",
      endedAtSeconds: clock.now(),
      tip: "s1",
      tipLive: false,
      activeAtSeconds: spokenAt,
    });
    sql(store, "UPDATE messages SET timestamp = 'x'");
    sql(store, "UPDATE sessions SET ended_at = 'y', last_activity_at = 1e300");
    expect(routing.standing("s1")).toMatchObject({ state: "ended", endedAtSeconds: null, activeAtSeconds: null });
  });

  it("GWS-05 COR-26 leads over any number of rotations to the tip", () => {
    using test = openTestStore();
    const { store, clock } = test;
    talk(store, "s0");
    for (let n = 0; n < 12; n++) rotate(store, `s${String(n)}`, `s${String(n + 1)}`);
    clock.advance(5_000);
    store.messages.append("s12", { role: "user", content: "still here" });
    const tip = { state: "closed", endReason: "compression", tip: "s12", tipLive: true, spoken: true };
    expect(store.routing.standing("s0")).toMatchObject({ ...tip, activeAtSeconds: clock.now() });
    store.sessions.end("s12", "session_reset");
    expect(store.routing.standing("s3")).toMatchObject({ ...tip, tipLive: false });
  });

  it("GWS-05 P15 COR-26 takes an orphan for live, and neither a fork nor a ring", () => {
    using test = openTestStore();
    const { store } = test;
    const { routing } = store;
    for (const id of ["a", "b", "c"]) talk(store, id);
    const close = "UPDATE sessions SET end_reason = 'compression', ended_at = 1 WHERE id = ?";
    sql(store, close, "a");
    expect(routing.standing("a")).toMatchObject({ state: "closed", tip: "a", tipLive: true });
    sql(store, "UPDATE sessions SET parent_session_id = 'a' WHERE id IN ('b', 'c')");
    expect(routing.standing("a")).toMatchObject({ state: "closed", tipLive: false });
    store.sessions.end("c", "session_reset");
    expect(routing.standing("a")).toMatchObject({ tip: "b", tipLive: true });
    sql(store, "UPDATE sessions SET parent_session_id = 'b' WHERE id = 'a'");
    sql(store, close, "b");
    expect(routing.standing("a")).toMatchObject({ state: "closed", tip: "b", tipLive: false });
  });

  it("GWS-10 of many at once is that of each", () => {
    using test = openTestStore();
    const { store } = test;
    for (let n = 0; n < 20; n++) talk(store, `s${String(n)}`);
    for (const n of [1, 5, 9]) rotate(store, `s${String(n)}`, `t${String(n)}`);
    store.sessions.end("s3", "agent_close");
    const ids = Array.from({ length: 1_201 }, (_, n) => `s${String(n)}`);
    const standings = store.routing.standings([...ids, "s1", "s2"]);
    expect(standings.size).toBe(1_201);
    for (const id of ids.slice(0, 25)) expect(standings.get(id)).toEqual(store.routing.standing(id));
    expect(store.routing.standings([])).toEqual(new Map());
    expect(() => store.routing.standings(["a", ""])).toThrow(TypeError);
  });

  it("P18 GWS-02 every route of a scope says where it leads and whether that has ended", () => {
    using test = openTestStore();
    const { store, clock } = test;
    const { routing } = store;
    for (const id of ["live", "reset", "closed", "other"]) talk(store, id);
    store.sessions.end("reset", "session_reset");
    store.sessions.end("other", "session_reset");
    sql(store, "UPDATE sessions SET end_reason = 'compression' WHERE id = 'closed'");
    for (const id of ["live", "reset", "closed", "missing"]) {
      routing.save("", `to ${id}`, { session_key: 'a "b", \\', session_id: id });
    }
    const odd = [
      "{broken",
      "[1]",
      '{"session_id": 7}',
      "{}",
      '{"session_id": "reset", "cost": NaN}',
      '{"session_key": "a\\", \\"session_id\\": \\"live", "metadata": {"session_id": "live"}, "session_id": "reset"}',
      '{"session_key": "a\\"b", "session_id": "r\\u0065set"}',
    ];
    for (const [n, text] of odd.entries()) {
      routing.save("", `odd ${String(n)}`, {});
      sql(store, "UPDATE gateway_routing SET entry_json = ? WHERE session_key = ?", text, `odd ${String(n)}`);
    }
    routing.save("/b", "elsewhere", { session_id: "other" });
    sql(store, "UPDATE gateway_routing SET updated_at = 'x' WHERE session_key = 'elsewhere'");
    const outlines = routing.outlines("").toSorted((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1));
    expect(outlines.map(({ sessionKey, sessionId, ended }) => [sessionKey, sessionId, ended])).toEqual([
      ["odd 0", null, false],
      ["odd 1", null, false],
      ["odd 2", null, false],
      ["odd 3", null, false],
      ["odd 4", "reset", true],
      ["odd 5", "reset", true],
      ["odd 6", "reset", true],
      ["to closed", "closed", true],
      ["to live", "live", false],
      ["to missing", "missing", false],
      ["to reset", "reset", true],
    ]);
    expect(outlines.slice(0, odd.length).map(({ entryText }) => entryText)).toEqual(odd);
    expect(outlines.every(({ savedAtSeconds }) => savedAtSeconds === clock.now())).toBe(true);
    expect(routing.outlines("/b")).toMatchObject([{ sessionId: "other", ended: true, savedAtSeconds: undefined }]);
  });

  it("GWS-11 a title and flags of a conversation are set at once, or not at all", () => {
    using test = openTestStore();
    const { store } = test;
    const { routing } = store;
    talk(store, "a");
    talk(store, "b");
    rotate(store, "a", "a2");
    expect(routing.setProperties("nobody", { title: "x", flags: { hidden: true } })).toBe(false);
    expect(routing.setProperties("a2", { title: " Trip ", flags: { pinned: true, hidden: true } })).toBe(true);
    expect(store.sessions.get("a2")).toMatchObject({ title: "Trip", titleSource: "user", pinned: true, hidden: true });
    expect(store.sessions.get("a")).toMatchObject({ pinned: true, hidden: true });
    const taken = stateErrorOf(() => routing.setProperties("b", { flags: { hidden: true }, title: "Trip" }));
    expect([taken.code, store.sessions.get("b").hidden]).toEqual(["STATE_E_TITLE_TAKEN", false]);
    expect(routing.setProperties("a2", { title: null })).toBe(true);
    expect(store.sessions.get("a2")).toMatchObject({ title: null, pinned: true });
    expect(routing.setProperties("a2", {})).toBe(true);
    expect(() => routing.setProperties("a2", { colour: 1 } as object)).toThrow(TypeError);
    expect(() => routing.setProperties("a2", { flags: { hidden: 1 } } as object)).toThrow(TypeError);
  });

  it("GWS-09 the sessions of a key come newest first, a page of them at most", () => {
    using test = openTestStore();
    const { store, clock } = test;
    for (const id of ["a", "b", "c"]) {
      clock.advance(1_000);
      talk(store, id);
    }
    store.sessions.create({ id: "d", source: "telegram", sessionKey: "K" });
    expect(store.routing.sessionsOfKey("k", 2).map(({ id }) => id)).toEqual(["c", "b"]);
    expect(store.routing.sessionsOfKey("k", 1_000)).toHaveLength(3);
    for (const limit of [0, 1.5, 1_001]) expect(() => store.routing.sessionsOfKey("k", limit)).toThrow(RangeError);
  });
});
