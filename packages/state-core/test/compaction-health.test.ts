import { describe, expect, it } from "vitest";
import type { CompactionHealth, StateStore } from "../src/index.js";
import { openStateStore } from "../src/index.js";
import { dumpStore } from "./support/dump-store.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

const WELL: CompactionHealth = {
  cooldownUntilSeconds: null,
  failure: null,
  fallbackStreak: 0,
  ineffectiveCount: 0,
  recoveryDeadlineSeconds: null,
  overloadStreak: 0,
};

function withSession(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  return test;
}

function code(call: () => unknown): string {
  return stateErrorOf(call).code;
}

describe("the health of compactions", () => {
  it("COR-24 is all well at first, and unknown sessions have none", () => {
    using test = withSession();
    const { compaction } = test.store;
    expect(compaction.health("s1")).toEqual(WELL);
    expect(compaction.cooldown("s1")).toBeUndefined();
    const calls: ((id: string) => unknown)[] = [
      (id) => compaction.health(id),
      (id) => compaction.cooldown(id),
      (id) => compaction.recordFailure(id, { untilSeconds: 5, failure: "x" }),
      (id) => {
        compaction.updateHealth(id, { fallbackStreak: 1 });
      },
      (id) => compaction.increment(id, "overloadStreak"),
      (id) => {
        compaction.restoreHealth(id, WELL);
      },
    ];
    for (const call of calls) expect(code(() => call("nope"))).toBe("STATE_E_SESSION_NOT_FOUND");
    expect(compaction.clearFailure("nope")).toBe(false);
  });

  it("COR-24 a failure forbids the next one until its moment; of two the later moment stands", () => {
    using test = withSession();
    const { store, clock } = test;
    const now = clock.now();
    const fail = (after: number, failure: string): number =>
      store.compaction.recordFailure("s1", { untilSeconds: now + after, failure });
    expect(fail(60, "provider 500")).toBe(now + 60);
    expect(store.compaction.cooldown("s1")).toEqual({ untilSeconds: now + 60, failure: "provider 500" });
    expect(fail(30, "provider 503")).toBe(now + 60);
    expect(fail(90, "again")).toBe(now + 90);
    expect(store.sessions.get("s1")).toMatchObject({
      compressionFailureCooldownUntilSeconds: now + 90,
      compressionFailureError: "again",
    });
    clock.advance(90_000);
    expect(store.compaction.cooldown("s1")).toBeUndefined();
    expect(store.compaction.health("s1")).toMatchObject({ cooldownUntilSeconds: now + 90, failure: "again" });
    expect(store.compaction.clearFailure("s1")).toBe(true);
    expect(store.compaction.clearFailure("s1")).toBe(false);
    expect(store.compaction.health("s1")).toEqual(WELL);
  });

  it("COR-24 P28 an absurd moment in the file neither forbids for ever nor survives the next failure", () => {
    using test = withSession();
    const { store, clock } = test;
    for (const cell of ["9e300", "'soon'"]) {
      sql(store, `UPDATE sessions SET compression_failure_cooldown_until = ${cell}, compression_fallback_streak = 'x'`);
      expect(store.compaction.cooldown("s1")).toBeUndefined();
      expect(store.compaction.health("s1")).toMatchObject({ cooldownUntilSeconds: null, fallbackStreak: 0 });
      const until = clock.now() + 5;
      expect(store.compaction.recordFailure("s1", { untilSeconds: until, failure: "x" })).toBe(until);
    }
  });

  it("COR-24 counters rise by one for each caller, also of two handles", () => {
    using test = withSession();
    using other = openStateStore({ path: test.path });
    const raise = (store: StateStore): number => store.compaction.increment("s1", "overloadStreak");
    expect([raise(test.store), raise(other), raise(test.store)]).toEqual([1, 2, 3]);
    test.store.compaction.updateHealth("s1", { overloadStreak: 0, ineffectiveCount: 4, recoveryDeadlineSeconds: 7 });
    expect(other.compaction.health("s1")).toEqual({ ...WELL, ineffectiveCount: 4, recoveryDeadlineSeconds: 7 });
    other.compaction.updateHealth("s1", { recoveryDeadlineSeconds: null });
    other.compaction.updateHealth("s1", {});
    expect(test.store.compaction.health("s1")).toEqual({ ...WELL, ineffectiveCount: 4 });
  });

  it("COR-24 is restored field by field, and proven by reading it again", () => {
    using test = withSession();
    const { store } = test;
    const ill: CompactionHealth = {
      cooldownUntilSeconds: 12.5,
      failure: "it\0broke",
      fallbackStreak: 1,
      ineffectiveCount: 2,
      recoveryDeadlineSeconds: 13.25,
      overloadStreak: 3,
    };
    store.compaction.updateHealth("s1", ill);
    const saved = store.compaction.health("s1");
    expect(saved).toEqual(ill);
    store.compaction.updateHealth("s1", { ...WELL, failure: "other" });
    store.compaction.restoreHealth("s1", saved);
    expect(store.compaction.health("s1")).toEqual(ill);
    store.write("a meddler", (w) => {
      w.exec(`CREATE TRIGGER meddle AFTER UPDATE OF compression_fallback_streak ON sessions
        BEGIN UPDATE sessions SET compression_fallback_streak = 99 WHERE id = new.id; END`);
    });
    const before = dumpStore(store);
    const restore = (): void => {
      store.compaction.restoreHealth("s1", WELL);
    };
    expect(code(restore)).toBe("STATE_E_HEALTH_NOT_RESTORED");
    expect(dumpStore(store)).toEqual(before);
  });

  it.each<[string, object]>([
    ["an unknown field", { fallbackStreaks: 1 }],
    ["a fractional counter", { fallbackStreak: 1.5 }],
    ["a negative counter", { ineffectiveCount: -1 }],
    ["a failure that is no text", { failure: 5 }],
  ])("COR-24 %s is a TypeError", (_, patch) => {
    using test = withSession();
    const { compaction } = test.store;
    expect(() => {
      compaction.updateHealth("s1", patch);
    }).toThrow(TypeError);
    expect(code(() => compaction.recordFailure("s1", { untilSeconds: Infinity, failure: "x" }))).toBe("STATE_E_BAD_TIMESTAMP");
    expect(() => compaction.recordFailure("s1", { untilSeconds: 1, failure: "" })).toThrow(TypeError);
    expect(() => compaction.increment("s1", "rewinds" as "overloadStreak")).toThrow(TypeError);
    expect(compaction.health("s1")).toEqual(WELL);
  });
});
