import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import type { TestStore } from "../../test/support/open-test-store.js";
import { withAdoption } from "../index.js";
import type { SessionFields, StateStore } from "../index.js";

const GONE = "pid=4194304:tid=1:agent=ab:nonce=00000000";

/** A line of segments, each closed by compression but the last. */
function line(...ids: string[]): TestStore {
  const test = openTestStore();
  for (const [index, id] of ids.entries()) {
    const parentSessionId = ids[index - 1];
    child(test.store, id, parentSessionId);
    if (parentSessionId !== undefined) sql(test.store, END, parentSessionId);
  }
  return test;
}

const END = "UPDATE sessions SET ended_at = 1, end_reason = 'compression' WHERE id = ?";

function child(store: StateStore, id: string, parentSessionId?: string, more: Partial<SessionFields> = {}): void {
  store.sessions.create({ id, source: "cli", ...(parentSessionId !== undefined && { parentSessionId }), ...more });
}

function refusal(store: StateStore, id: string): unknown {
  const { code, facts } = stateErrorOf(() => store.lineage.adopt(id));
  return { code, tipId: facts["tipId"], reason: facts["reason"] };
}

describe("the live child", () => {
  it("COR-26 is the one live continuation of a session that compression closed", () => {
    using test = line("a", "b");
    const { store } = test;
    child(store, "branch", "a", { modelConfig: { _branched_from: "a" } });
    child(store, "inherits", "b", { modelConfig: { _branched_from: "a" } });
    child(store, "tool", "a", { source: "tool" });
    expect(store.lineage.liveChild("a")).toBe("b");
    expect(store.lineage.liveChild("b")).toBeUndefined();
    sql(store, END, "b");
    expect(store.lineage.liveChild("a")).toBeUndefined();
    // A marker that names another session is inherited.
    expect(store.lineage.liveChild("b")).toBe("inherits");
  });

  it("COR-26 is nobody when two could be it", () => {
    using test = line("a", "b");
    child(test.store, "c", "a");
    expect(test.store.lineage.liveChild("a")).toBeUndefined();
    test.store.sessions.end("c", "user_exit");
    expect(test.store.lineage.liveChild("a")).toBe("b");
    expect(stateErrorOf(() => test.store.lineage.liveChild("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });
});

describe("adoption", () => {
  it("COR-26 P16 leads over any number of hops to the live tip", () => {
    const ids = Array.from({ length: 300 }, (_, index) => `s${String(index)}`);
    using test = line(...ids);
    expect(test.store.lineage.adopt("s0")).toBe("s299");
    expect(test.store.lineage.adopt("s150")).toBe("s299");
  });

  it("COR-26 of a session that takes messages itself is itself, also when it ended otherwise", () => {
    using test = line("a");
    const { store } = test;
    expect(store.lineage.adopt("a")).toBe("a");
    store.sessions.end("a", "user_exit");
    expect(store.lineage.adopt("a")).toBe("a");
    expect(stateErrorOf(() => store.lineage.adopt("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });

  it("COR-26 fails closed: nothing continues it, the tip has ended, two continue it, the lineage is a ring", () => {
    using test = line("a", "b", "c");
    const { store } = test;
    const code = "STATE_E_NO_LIVE_CONTINUATION";
    child(store, "twin", "b");
    expect(refusal(store, "a")).toMatchObject({ code, reason: "ambiguous" });
    sql(store, "UPDATE sessions SET source = 'tool' WHERE id = 'twin'");
    expect(store.lineage.adopt("a")).toBe("c");
    store.sessions.end("c", "agent_close");
    expect(refusal(store, "a")).toEqual({ code, tipId: "c", reason: "ended" });
    sql(store, END, "c");
    expect(refusal(store, "a")).toEqual({ code, tipId: "c", reason: "ended" });
    expect(refusal(store, "c")).toEqual({ code, tipId: undefined, reason: "none" });
    sql(store, "UPDATE sessions SET parent_session_id = 'c' WHERE id = 'a'");
    expect(refusal(store, "a")).toEqual({ code, tipId: "c", reason: "ended" });
  });

  it("COR-26 P16 takes one write over exactly once", () => {
    using test = line("a", "b", "c");
    const { store } = test;
    const tried: string[] = [];
    const receipt = withAdoption(store, "a", (id) => {
      tried.push(id);
      return store.messages.append(id, { role: "user", content: "still there?" });
    });
    expect(tried).toEqual(["a", "c"]);
    expect(receipt.sessionId).toBe("c");
    expect(store.messages.count("c")).toBe(1);
  });

  it("COR-26 a tip that is rotated away in between is the end of it: no third try", () => {
    using test = line("a", "b", "c");
    const { store } = test;
    const tried: string[] = [];
    const write = (id: string): unknown => {
      tried.push(id);
      if (id === "c") {
        child(store, "d", "c");
        sql(store, END, "c");
      }
      return store.messages.append(id, { role: "user", content: "x" });
    };
    const error = stateErrorOf(() => withAdoption(store, "a", write));
    expect([error.code, error.facts["tipId"]]).toEqual(["STATE_E_COMPRESSION_CLOSED", "d"]);
    expect(tried).toEqual(["a", "c"]);
    expect(store.messages.count("d")).toBe(0);
  });

  it("COR-26 touches no other failure", () => {
    using test = line("a", "b");
    const { store } = test;
    const fail = (): never => {
      throw new Error("mine");
    };
    expect(() => withAdoption(store, "a", fail)).toThrow("mine");
    // Another session's refusal says nothing about this one.
    expect(stateErrorOf(() => withAdoption(store, "b", () => store.messages.append("a", { role: "user" }))).code).toBe(
      "STATE_E_COMPRESSION_CLOSED",
    );
    store.sessions.end("b", "user_exit");
    const closed = (id: string): unknown => store.messages.append(id, { role: "user" });
    expect(stateErrorOf(() => withAdoption(store, "a", closed)).code).toBe("STATE_E_NO_LIVE_CONTINUATION");
    expect(store.messages.count("b")).toBe(0);
  });
});

describe("an orphan of a compaction", () => {
  it("COR-26 P15 is reopened when nothing continues it and nobody compacts it", () => {
    using test = line("a", "b");
    const { store, clock } = test;
    expect(store.lineage.reopenOrphan("a")).toBe(false);
    expect(store.lineage.reopenOrphan("b")).toBe(false);
    expect(store.lineage.reopenOrphan("nope")).toBe(false);
    sql(store, END, "b");
    store.leases.acquire("compression", "b", { holder: "someone" });
    expect(store.lineage.reopenOrphan("b")).toBe(false);
    clock.advance(300_000);
    expect(store.lineage.reopenOrphan("b")).toBe(true);
    expect(store.lineage.reopenOrphan("b")).toBe(false);
    expect(store.leases.list("compression")).toEqual([]);
    expect(store.sessions.get("b")).toMatchObject({ endedAtSeconds: null, endReason: null });
    expect(store.lineage.adopt("a")).toBe("b");
  });

  it("COR-26 P15 does not wait for the lease of a compaction that died", () => {
    using test = line("a");
    const { store, clock } = test;
    sql(store, END, "a");
    const now = clock.now();
    sql(store, "INSERT INTO compression_locks VALUES ('a', ?, ?, ?)", GONE, now, now + 300);
    store.messages.append("a", { role: "user", content: "next turn" });
    expect(store.sessions.get("a").endReason).toBeNull();
    expect(store.leases.list("compression")).toEqual([]);
  });

  it("COR-26 P15 stays closed while a continuation of any state exists; a fork is none", () => {
    using test = line("a", "b");
    const { store } = test;
    store.sessions.end("b", "user_exit");
    expect(store.lineage.reopenOrphan("a")).toBe(false);
    sql(store, "UPDATE sessions SET model_config = '{\"_branched_from\": \"a\"}' WHERE id = 'b'");
    expect(store.lineage.reopenOrphan("a")).toBe(true);
  });

  it("COR-26 finalises continuations that nobody went on with, and only those", () => {
    using test = line("a", "b");
    const { store, clock } = test;
    const born = clock.now();
    for (const id of ["empty", "called", "talking", "ended", "fork", "odd"]) child(store, id, "a");
    for (const id of ["b", "called", "talking", "ended", "fork", "odd"]) {
      store.messages.append(id, { role: "user", content: "handoff" });
    }
    sql(store, "UPDATE sessions SET api_call_count = 1 WHERE id = 'called'");
    sql(store, "UPDATE sessions SET model_config = '{\"_branched_from\": \"a\"}' WHERE id = 'fork'");
    sql(store, "UPDATE sessions SET started_at = 'x' WHERE id = 'odd'");
    sql(store, "UPDATE messages SET timestamp = 'x' WHERE session_id = 'odd'");
    store.sessions.end("ended", "user_exit");
    clock.advance(7 * 86_400_000);
    store.messages.append("talking", { role: "user", content: "still here" });
    expect(store.lineage.finalizeOrphans()).toEqual(["b"]);
    expect(store.sessions.get("b")).toMatchObject({ endReason: "orphaned_compression", endedAtSeconds: clock.now() });
    expect(store.lineage.finalizeOrphans()).toEqual([]);
    for (const id of ["empty", "called", "talking", "fork", "odd"]) expect(store.sessions.get(id).endReason).toBeNull();
    expect(store.lineage.finalizeOrphans({ olderThanSeconds: 0 })).toEqual(["talking"]);
    expect(clock.now() - born).toBeGreaterThan(0);
    expect(() => store.lineage.finalizeOrphans({ olderThanSeconds: -1 })).toThrow(RangeError);
    expect(() => store.lineage.finalizeOrphans({ days: 7 } as object)).toThrow(TypeError);
  });
});
