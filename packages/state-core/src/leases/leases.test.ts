import { describe, expect, it } from "vitest";
import { openTestStore, sql, stateErrorOf } from "../../test/support/open-test-store.js";
import type { TestStore } from "../../test/support/open-test-store.js";
import type { LeaseKind, StateStore } from "../index.js";
import { assertTurnLease } from "./assert-lease.js";
import { holderNamespace, holderPid } from "./holder-name.js";

const OTHER = "someone without a process id";

function withSession(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  return test;
}

function rows(store: StateStore, kind: LeaseKind): unknown[] {
  const [table, key] = kind === "turn" ? ["session_turn_leases", "conversation_id"] : ["compression_locks", "session_id"];
  return store.read((r) => r.tuples(`SELECT ${key}, holder, acquired_at, expires_at FROM ${table} ORDER BY ${key}`));
}

function assertTurn({ store, clock }: TestStore, sessionId: string, holder: string): void {
  store.write("a turn's write", (w) => {
    assertTurnLease(w, sessionId, holder, clock.now());
    w.run("UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = ?", [sessionId]);
  });
}

describe("a holder's text", () => {
  it("COR-25 is spelt as the peer spells it, and new each time", () => {
    using test = openTestStore();
    const holders = Array.from({ length: 20 }, () => test.store.leases.newHolder());
    for (const holder of holders) {
      expect(holder).toMatch(new RegExp(`^pid=${String(process.pid)}:tid=\\d+:agent=[0-9a-f]+:nonce=[0-9a-f]{8}$`));
    }
    expect(new Set(holders).size).toBe(20);
    expect(holderPid(holders[0]!)).toBe(process.pid);
  });

  it.each<[string, number | undefined]>([
    ["pid=12:tid=1:agent=7f3a5c0d1e10:nonce=01234567", 12],
    ["tid=1:pid=12", 12],
    ["pid=12", 12],
    ["ppid=12", undefined],
    ["pid=12x", undefined],
    ["pid=", undefined],
    ["pid=-1", undefined],
    ["my pid=12", undefined],
    ["someone", undefined],
    ["", undefined],
  ])("COR-25 %j names process %j", (holder, pid) => {
    expect(holderPid(holder)).toBe(pid);
  });

  it("COR-25 tells its namespace where there is one; a number of the peer's tells none", () => {
    const namespace = process.platform === "linux" ? expect.any(Number) as number : undefined;
    using test = openTestStore();
    expect(holderNamespace(test.store.leases.newHolder())).toEqual(namespace);
    expect(holderNamespace("pid=1:agent=7f3a5c0d1e10:nonce=01234567")).toBeUndefined();
    expect(holderNamespace(`pid=1:agent=${"0".repeat(20)}`)).toBeUndefined();
  });
});

describe.each<LeaseKind>(["compression", "turn"])("a %s lease", (kind) => {
  it("COR-25 is a row that others read: key, holder, from, to", () => {
    using test = withSession();
    const { store, clock } = test;
    const lease = store.leases.acquire(kind, "s1")!;
    const now = clock.now();
    expect(lease).toMatchObject({ kind, key: "s1", acquiredAtSeconds: now, expiresAtSeconds: now + 300, ttlSeconds: 300 });
    expect(rows(store, kind)).toEqual([["s1", lease.holder, now, now + 300]]);
    expect(store.leases.holder(kind, "s1")).toEqual({
      kind,
      key: "s1",
      holder: lease.holder,
      acquiredAtSeconds: now,
      expiresAtSeconds: now + 300,
    });
  });

  it("COR-25 keeps everybody else out until its end, and its owner's second claim changes nothing", () => {
    using test = withSession();
    const { store, clock } = test;
    const lease = store.leases.acquire(kind, "s1", { holder: OTHER, ttlSeconds: 100 })!;
    clock.advance(60_000);
    expect(store.leases.acquire(kind, "s1")).toBeUndefined();
    expect(store.leases.acquire(kind, "s1", { holder: OTHER })).toEqual({ ...lease, ttlSeconds: 300 });
    clock.advance(40_000);
    // At its very end it still is the owner's.
    expect(store.leases.acquire(kind, "s1")).toBeUndefined();
    expect(store.leases.holder(kind, "s1")?.holder).toBe(OTHER);
    clock.advance(1);
    expect(store.leases.holder(kind, "s1")).toBeUndefined();
    const mine = store.leases.acquire(kind, "s1")!;
    expect(store.leases.holder(kind, "s1")?.holder).toBe(mine.holder);
    expect(store.leases.refresh(lease)).toBeUndefined();
    expect(store.leases.release(lease)).toBe(false);
    expect(store.leases.holder(kind, "s1")?.holder).toBe(mine.holder);
  });

  it("COR-25 is refreshed by its holder and not by time: an owner that was held up comes back to an unclaimed one", () => {
    using test = withSession();
    const { store, clock } = test;
    const lease = store.leases.acquire(kind, "s1", { ttlSeconds: 10 })!;
    clock.advance(60_000);
    const now = clock.now();
    expect(store.leases.refresh(lease)).toEqual({ ...lease, expiresAtSeconds: now + 10 });
    expect(store.leases.refresh(lease, 50)).toEqual({ ...lease, ttlSeconds: 50, expiresAtSeconds: now + 50 });
    expect(store.leases.acquire(kind, "s1", { holder: OTHER })).toBeUndefined();
    expect(store.leases.list(kind)).toMatchObject([{ holder: lease.holder, expiresAtSeconds: now + 50 }]);
  });

  it("COR-25 an expired one that its owner claims again begins anew", () => {
    using test = withSession();
    const { store, clock } = test;
    store.leases.acquire(kind, "s1", { holder: OTHER, ttlSeconds: 10 });
    clock.advance(11_000);
    const now = clock.now();
    expect(store.leases.acquire(kind, "s1", { holder: OTHER })).toMatchObject({ acquiredAtSeconds: now });
  });

  it("COR-25 is given back once; a second time and by anybody else it is harmless", () => {
    using test = withSession();
    const { store } = test;
    const lease = store.leases.acquire(kind, "s1")!;
    expect(store.leases.release({ ...lease, holder: OTHER })).toBe(false);
    expect(store.leases.release(lease)).toBe(true);
    expect(store.leases.release(lease)).toBe(false);
    expect(rows(store, kind)).toEqual([]);
    expect(store.leases.acquire(kind, "s1", { holder: OTHER })).toBeDefined();
  });

  it("COR-25 of a text without a process id, of init, and of an unreadable end waits for its time", () => {
    using test = withSession();
    const { store } = test;
    const table = kind === "turn" ? "session_turn_leases" : "compression_locks";
    const from = test.clock.now();
    for (const [id, holder, to] of [
      ["a", OTHER, from + 1],
      ["b", "pid=1:tid=1:agent=ab:nonce=00000000", from + 1],
      ["c", OTHER, "never"],
      ["d", `pid=${String(2 ** 53)}:nonce=a`, from + 1],
      ["e", "pid=0:nonce=a", from + 1],
    ] as const) {
      sql(store, `INSERT INTO ${table} VALUES (?, ?, ?, ?)`, id, holder, from, to);
      expect([id, store.leases.acquire(kind, id)]).toEqual([id, undefined]);
    }
    expect(store.leases.holder(kind, "c")).toMatchObject({ holder: OTHER, expiresAtSeconds: undefined });
  });

  it("COR-25 of this very process is not dead, whatever its nonce", () => {
    using test = withSession();
    const holder = test.store.leases.newHolder();
    test.store.leases.acquire(kind, "s1", { holder });
    expect(test.store.leases.acquire(kind, "s1")).toBeUndefined();
  });

  it("COR-25 GND-04 refuses what cannot be a claim", () => {
    using test = withSession();
    const { leases } = test.store;
    expect(() => leases.acquire("lock" as LeaseKind, "s1")).toThrow(TypeError);
    expect(() => leases.acquire(kind, "")).toThrow(TypeError);
    expect(() => leases.acquire(kind, "s1", { holder: "" })).toThrow(TypeError);
    expect(() => leases.acquire(kind, "s1", { ttl: 5 } as object)).toThrow(TypeError);
    for (const ttlSeconds of [0, -1, Infinity, NaN, 86_401, "5" as unknown as number]) {
      expect(() => leases.acquire(kind, "s1", { ttlSeconds })).toThrow(RangeError);
    }
    expect(rows(test.store, kind)).toEqual([]);
  });
});

describe("a turn lease", () => {
  it("COR-25 is the conversation's: any segment, branch or delegate of it names the same one", () => {
    using test = withSession();
    const { store } = test;
    store.sessions.end("s1", "compression");
    store.sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    store.sessions.create({
      id: "delegate",
      source: "subagent",
      parentSessionId: "s2",
      modelConfig: { _delegate_from: "s2" },
    });
    const lease = store.leases.acquire("turn", "delegate")!;
    expect(lease.key).toBe("s1");
    for (const id of ["s1", "s2", "delegate"]) {
      expect(store.leases.acquire("turn", id)).toBeUndefined();
      expect(store.leases.holder("turn", id)?.holder).toBe(lease.holder);
    }
    expect(store.leases.acquire("compression", "s2")?.key).toBe("s2");
  });

  it("COR-25 of a session that is not there yet is its own; a ring has a key too", () => {
    using test = withSession();
    const { store } = test;
    expect(store.leases.acquire("turn", "to-be")?.key).toBe("to-be");
    store.sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    sql(store, "UPDATE sessions SET parent_session_id = 's2' WHERE id = 's1'");
    expect(store.leases.acquire("turn", "s1")?.key).toBe("s2");
  });

  it("COR-25 is found where the peer looks: a hundred parents up, not farther", () => {
    using test = openTestStore();
    const { store } = test;
    store.write("a long line", (w) => {
      for (let n = 0; n <= 120; n++) {
        const parent = n === 0 ? null : `n${String(n - 1)}`;
        w.run("INSERT INTO sessions (id, source, started_at, parent_session_id) VALUES (?, 'cli', 1, ?)", [`n${String(n)}`, parent]);
      }
    });
    expect(store.leases.acquire("turn", "n100")?.key).toBe("n0");
    expect(store.leases.acquire("turn", "n120")?.key).toBe("n20");
  });

  it("COR-25 sweeps those that ended more than a day ago, and only those", () => {
    using test = withSession();
    const { store, clock } = test;
    const now = clock.now();
    for (const [id, to] of [["old", now - 86_401], ["recent", now - 86_399], ["odd", "text"]] as const) {
      sql(store, "INSERT INTO session_turn_leases VALUES (?, ?, 0, ?)", id, OTHER, to);
      sql(store, "INSERT INTO compression_locks VALUES (?, ?, 0, ?)", id, OTHER, to);
    }
    store.leases.acquire("compression", "s1");
    expect(store.leases.list("compression").map((row) => row.key)).toEqual(["old", "recent", "s1", "odd"]);
    store.leases.acquire("turn", "s1");
    expect(store.leases.list("turn").map((row) => row.key)).toEqual(["recent", "s1", "odd"]);
    expect(store.leases.sweep("compression")).toBe(1);
    expect(store.leases.sweep("compression")).toBe(0);
  });
});

describe("a write of a turn", () => {
  it("COR-25 goes on under its lease, and renews one whose time is over while nobody claimed it", () => {
    using test = withSession();
    const { store, clock } = test;
    const { holder } = store.leases.acquire("turn", "s1", { ttlSeconds: 10 })!;
    assertTurn(test, "s1", holder);
    expect(store.leases.holder("turn", "s1")?.expiresAtSeconds).toBe(clock.now() + 10);
    clock.advance(10_000);
    assertTurn(test, "s1", holder);
    expect(store.leases.holder("turn", "s1")?.expiresAtSeconds).toBe(clock.now() + 300);
    expect(store.sessions.get("s1").rewindCount).toBe(2);
  });

  it.each<[string, (test: TestStore) => void]>([
    ["was claimed by another", ({ store, clock }) => {
      clock.advance(301_000);
      store.leases.acquire("turn", "s1", { holder: OTHER });
    }],
    ["was given back", ({ store }) => {
      store.leases.release({ kind: "turn", key: "s1", holder: "mine" });
    }],
    ["was swept", ({ store, clock }) => {
      clock.advance((300 + 86_401) * 1000);
      store.leases.acquire("turn", "elsewhere");
    }],
  ])("COR-25 COR-08 fails once its lease %s, and stores nothing", (_, lose) => {
    using test = withSession();
    const { store } = test;
    store.leases.acquire("turn", "s1", { holder: "mine" });
    lose(test);
    const error = stateErrorOf(() => {
      assertTurn(test, "s1", "mine");
    });
    expect([error.code, error.facts["bucket"]]).toEqual(["STATE_E_TURN_LEASE_LOST", "turn_lease"]);
    expect(store.sessions.get("s1").rewindCount).toBe(0);
  });
});
