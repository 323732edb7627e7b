import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import { failAtEveryStatement } from "../../test/support/every-statement.js";

describe("handoff", () => {
  it("T4 COR-36 is asked for once while it is under way, and again after it failed", () => {
    using test = openTestStore();
    const { handoff, sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    expect(handoff.get("s1")).toEqual({ sessionId: "s1", state: null, platform: null, error: null });
    expect(handoff.request("s1", "telegram")).toBe(true);
    expect(handoff.request("s1", "slack")).toBe(false);
    expect(handoff.claim("s1")).toBe(true);
    expect(handoff.claim("s1")).toBe(false);
    expect(handoff.request("s1", "slack")).toBe(false);
    expect(handoff.fail("s1", "no such chat")).toBe(true);
    expect(handoff.get("s1")).toEqual({ sessionId: "s1", state: "failed", platform: "telegram", error: "no such chat" });
    expect(handoff.request("s1", "slack")).toBe(true);
    expect(handoff.get("s1")).toEqual({ sessionId: "s1", state: "pending", platform: "slack", error: null });
    expect([handoff.claim("s1"), handoff.complete("s1"), handoff.complete("s1")]).toEqual([true, true, false]);
    expect(handoff.get("s1")).toMatchObject({ state: "completed", error: null });
    expect(handoff.request("s1", "telegram")).toBe(true);
  });

  it("COR-36 lists what waits, the oldest session first, also beside an absurd start", () => {
    using test = openTestStore();
    const { handoff, sessions } = test.store;
    for (const [id, startedAtSeconds] of [["new", 30], ["old", 10], ["mid", 20], ["taken", 5]] as const) {
      sessions.create({ id, source: "cli", startedAtSeconds });
      handoff.request(id, "telegram");
    }
    handoff.claim("taken");
    expect(handoff.pending().map((state) => state.sessionId)).toEqual(["old", "mid", "new"]);
  });

  it("COR-36 keeps 500 characters of an error and splits none of them", () => {
    using test = openTestStore();
    const { handoff, sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    handoff.request("s1", "telegram");
    handoff.fail("s1", "\u{1f9d1}".repeat(600));
    expect(handoff.get("s1").error).toBe("\u{1f9d1}".repeat(500));
  });

  it("COR-36 leaves a state of a newer writer alone; an unknown session has no handoff", () => {
    using test = openTestStore();
    const { handoff, sessions } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    sql(test.store, "UPDATE sessions SET handoff_state = 'queued'");
    for (const step of [handoff.request("s1", "x"), handoff.claim("s1"), handoff.complete("s1")]) expect(step).toBe(false);
    for (const step of [handoff.request("no", "x"), handoff.claim("no"), handoff.fail("no", "")]) expect(step).toBe(false);
    expect(stateErrorOf(() => handoff.get("no")).code).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(() => handoff.request("s1", "")).toThrow(TypeError);
    expect(() => handoff.fail("s1", 5 as unknown as string)).toThrow(TypeError);
  });

  it("COR-36 a step that fails leaves the one before", () => {
    using after = failAtEveryStatement({
      lay: (store) => {
        store.sessions.create({ id: "s1", source: "cli" });
        store.handoff.request("s1", "telegram");
      },
      act: (store) => store.handoff.claim("s1"),
    });
    expect(after.store.handoff.get("s1").state).toBe("running");
  });
});
