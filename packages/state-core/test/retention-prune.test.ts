import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { seedFor, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import type { Writer } from "@hermes/state-schema";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { RetentionFilter, StateStore } from "../src/index.js";
import { checkIndexes, wrongCounters } from "./support/dump-store.js";
import { openTestStore, sql } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";
import { wrappedDriver } from "./wrapped-driver.js";

const DAY = 86_400;

type Laid = Pick<TestStore, "store" | "clock">;

/** An ended session, last active so many days before the clock's now. */
function ended(test: Laid, id: string, daysAgo: number, fields: object = {}): void {
  const { store, clock } = test;
  const at = clock.now() - daysAgo * DAY;
  store.sessions.create({ id, source: "cli", startedAtSeconds: at - 1, ...fields });
  store.messages.append(id, { role: "user", content: `of ${id}`, timestampSeconds: at });
  store.sessions.end(id, "user_exit", { atSeconds: at + 1 });
}

function pruned(store: StateStore, filter: RetentionFilter = {}): string[] {
  return [...store.retention.prune(filter, { dryRun: true }).sessions];
}

/** Root, middle and tip of one conversation, each closed. */
function chain(test: Laid, name: string, days: readonly number[]): string[] {
  const ids = days.map((_, index) => `${name}${String(index)}`);
  ids.forEach((id, index) => {
    ended(test, id, days[index]!, index > 0 ? { parentSessionId: ids[index - 1]! } : {});
    if (index < ids.length - 1) sql(test.store, "UPDATE sessions SET end_reason = 'compression' WHERE id = ?", id);
  });
  return ids;
}

describe("what a prune selects", () => {
  it("COR-33 ended sessions beyond 90 days, unless a filter says which; the open ones are counted, not touched", () => {
    using test = openTestStore();
    const { store, clock } = test;
    ended(test, "old", 91);
    ended(test, "recent", 89);
    store.sessions.create({ id: "open", source: "cli", startedAtSeconds: clock.now() - 400 * DAY });
    expect(pruned(store)).toEqual(["old"]);
    expect(pruned(store, { source: "cli" })).toEqual(["old", "recent"]);
    expect(pruned(store, { olderThanDays: 90 })).toEqual(["old"]);
    expect(pruned(store, { olderThanDays: 0 })).toEqual(["old", "recent"]);
    const bound = { olderThanDays: 1, lastActiveBeforeSeconds: clock.now() - 91 * DAY };
    expect(pruned(store, bound)).toEqual([]);
    expect(store.retention.prune({}, { dryRun: true }).spared).toEqual({ open: 1, pinned: 0, inUse: 0, continued: 0 });
    const report = store.retention.prune({});
    expect(report).toMatchObject({ dryRun: false, sessions: ["old"], messages: 1 });
    expect(store.sessions.count()).toBe(2);
  });

  it("COR-33 archived sessions only when asked for, hidden ones always", () => {
    using test = openTestStore();
    const { store } = test;
    for (const id of ["plain", "archived", "hidden"]) ended(test, id, 100);
    sql(store, "UPDATE sessions SET archived = 1 WHERE id = 'archived'");
    sql(store, "UPDATE sessions SET hidden = 1 WHERE id = 'hidden'");
    expect(pruned(store)).toEqual(["hidden", "plain"]);
    expect(pruned(store, { archived: "only" })).toEqual(["archived"]);
    expect(pruned(store, { archived: "include" })).toHaveLength(3);
  });

  it("COR-33 T20 an earlier segment goes only with every later one", () => {
    using test = openTestStore();
    const { store } = test;
    const [root, middle, tip] = chain(test, "c", [300, 200, 10]) as [string, string, string];
    expect(pruned(store)).toEqual([]);
    expect(store.retention.prune({}, { dryRun: true }).spared.continued).toBe(2);
    expect(pruned(store, { olderThanDays: 5 })).toEqual([root, middle, tip]);
    store.sessions.reopen(tip);
    expect(pruned(store, { olderThanDays: 5 })).toEqual([]);
    expect(store.retention.prune({ olderThanDays: 5 }).spared).toMatchObject({ open: 1, continued: 2 });
    expect(store.sessions.count({ includeChildren: true })).toBe(3);
  });

  it("COR-33 a branch or a delegate keeps no parent: it loses it", () => {
    using test = openTestStore();
    const { store } = test;
    ended(test, "root", 100);
    sql(store, "UPDATE sessions SET end_reason = 'compression' WHERE id = 'root'");
    ended(test, "branch", 1, { parentSessionId: "root", modelConfig: { _branched_from: "root" } });
    ended(test, "delegate", 1, { parentSessionId: "root", modelConfig: { _delegate_from: "root" } });
    expect(store.retention.prune().sessions).toEqual(["root"]);
    for (const id of ["branch", "delegate"]) expect(store.sessions.get(id).parentSessionId).toBeNull();
  });

  it("COR-33 T20 a pinned segment keeps all of its conversation", () => {
    for (const pinned of [0, 1, 2]) {
      using test = openTestStore();
      const ids = chain(test, "c", [300, 200, 100]);
      ended(test, "other", 100);
      sql(test.store, "UPDATE sessions SET pinned = 1 WHERE id = ?", ids[pinned]!);
      expect(pruned(test.store)).toEqual(["other"]);
      expect(pruned(test.store, { includePinned: true, olderThanDays: 90 })).toHaveLength(4);
    }
  });

  it("COR-33 only the last segments, with lineageTipsOnly: never the one before it in turn", () => {
    using test = openTestStore();
    const { store } = test;
    const ids = chain(test, "c", [300, 200, 100]);
    ended(test, "alone", 400);
    expect(store.retention.prune({ olderThanDays: 90, lineageTipsOnly: true }).sessions).toEqual(["alone", ids[2]]);
  });

  it("COR-33 COR-25 what somebody works with stays, with the whole tree of its turn, until that ends", () => {
    using test = openTestStore();
    const { store, clock } = test;
    ended(test, "root", 100);
    ended(test, "child", 100, { parentSessionId: "root" });
    ended(test, "compacted", 100);
    ended(test, "free", 100);
    // A live process of another name: this one would count as dead only if its id were gone.
    const holder = `pid=${String(process.pid)}:tid=1:agent=ab:nonce=00000000`;
    store.leases.acquire("turn", "child", { holder });
    store.leases.acquire("compression", "compacted", { holder });
    expect(pruned(store)).toEqual(["free"]);
    expect(store.retention.prune({}, { dryRun: true }).spared.inUse).toBe(3);
    clock.advance(301_000);
    expect(pruned(store)).toHaveLength(4);
  });

  it("COR-33 what maintenance closed ages from then on", () => {
    using test = openTestStore();
    const { store, clock } = test;
    for (const id of ["reaped", "left"]) ended(test, id, 200);
    const at = clock.now() - 10 * DAY;
    sql(store, "UPDATE sessions SET end_reason = 'startup_orphan_reap', ended_at = ? WHERE id = 'reaped'", at);
    sql(store, "UPDATE sessions SET ended_at = ? WHERE id = 'left'", at);
    expect(pruned(store)).toEqual(["left"]);
    expect(pruned(store, { olderThanDays: 9 })).toHaveLength(2);
  });

  it("P28 COR-33 a moment that cannot be read is old to no age; conditions without an age still find the session", () => {
    using test = openTestStore();
    const { store } = test;
    for (const id of ["a", "b", "c"]) ended(test, id, 100);
    sql(store, "UPDATE sessions SET started_at = 'not-a-timestamp' WHERE id = 'a'");
    sql(store, "UPDATE sessions SET started_at = 5.49e246, last_activity_at = 5.49e246, ended_at = 'x' WHERE id = 'b'");
    sql(store, "UPDATE messages SET timestamp = 'x' WHERE session_id IN ('a', 'b')");
    expect(pruned(store)).toEqual(["c"]);
    expect(pruned(store, { olderThanDays: 0 })).toEqual(["c"]);
    const found = store.retention.candidates({ source: "cli" });
    expect(found.map(({ id }) => id)).toEqual(["c", "a", "b"]);
    expect(found[1]).toMatchObject({ startedAtSeconds: undefined, lastActiveSeconds: undefined, messageCount: 1 });
    expect(store.retention.prune().sessions).toEqual(["c"]);
  });

  it("COR-33 tells what would go, oldest first", () => {
    using test = openTestStore();
    const { store, clock } = test;
    ended(test, "young", 100);
    ended(test, "old", 200);
    store.titles.set("old", "an old one");
    expect(store.retention.candidates()).toEqual([
      {
        id: "old",
        source: "cli",
        title: "an old one",
        startedAtSeconds: clock.now() - 200 * DAY - 1,
        lastActiveSeconds: clock.now() - 200 * DAY,
        endReason: "user_exit",
        messageCount: 1,
      },
      expect.objectContaining({ id: "young" }),
    ]);
  });

  it("COR-33 refuses what it does not know, and ages that lie ahead", () => {
    using test = openTestStore();
    const { retention } = test.store;
    const misuse: unknown[] = [
      { older_than_days: 5 },
      { includeChildren: true },
      { olderThanDays: "5" },
      { archived: true },
      { includePinned: 1 },
      { lineageTipsOnly: "yes" },
      { titleLike: 5 },
    ];
    for (const filter of misuse) {
      expect(() => retention.prune(filter as RetentionFilter), JSON.stringify(filter)).toThrow(TypeError);
      expect(() => retention.candidates(filter as RetentionFilter)).toThrow(TypeError);
    }
    for (const olderThanDays of [-1, Number.NaN, Infinity]) {
      expect(() => retention.prune({ olderThanDays })).toThrow(RangeError);
      expect(() => retention.neverActive({ olderThanDays })).toThrow(RangeError);
    }
    const ahead = { olderThanDays: 1, lastActiveAfterSeconds: test.clock.now() };
    expect(() => retention.prune(ahead)).toThrow(RangeError);
    expect(() => retention.prune({}, { dry: true } as object)).toThrow(TypeError);
  });
});

const INSERT = `
  INSERT INTO sessions (id, source, model_config, started_at, ended_at, end_reason, pinned, archived, message_count)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const SET_PARENT = "UPDATE sessions SET parent_session_id = ? WHERE id = ?";
const INSERT_MESSAGE = "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, 5)";

/** One session in a random state, a random child of an earlier one. */
function layOne(w: Writer, random: TestRandom, index: number, now: number): void {
  const id = `s${String(index)}`;
  const parent = index > 0 && random.int(0, 1) === 0 ? `s${String(random.int(0, index - 1))}` : null;
  const marker = random.pick([null, null, null, "_branched_from", "_delegate_from"]);
  const messages = random.int(0, 3);
  w.run(INSERT, [
    id,
    random.pick(["cli", "cron", "tool", "telegram"]),
    marker && `{"${marker}": "${String(parent)}"}`,
    random.int(0, 20) === 0 ? "unknown" : now - random.int(0, 200) * DAY,
    random.int(0, 5) === 0 ? null : now,
    random.pick(["compression", "compression", "user_exit", "branched"]),
    random.int(0, 12) === 0 ? 1 : 0,
    random.int(0, 12) === 0 ? 1 : 0,
    messages,
  ]);
  w.run(SET_PARENT, [parent, id]);
  for (let left = messages; left > 0; left--) w.run(INSERT_MESSAGE, [id, `of ${id}`]);
}

/** Sessions of every kind in random lineages, now and then a ring. */
function layRandom(store: StateStore, random: TestRandom, now: number): void {
  const count = random.int(1, 40);
  store.write("lay", (w) => {
    for (let index = 0; index < count; index++) layOne(w, random, index, now);
    if (random.int(0, 3) === 0) w.run(SET_PARENT, [`s${String(count - 1)}`, "s0"]);
  });
}

function randomFilter(random: TestRandom): RetentionFilter {
  return {
    ...(random.int(0, 1) === 0 && { olderThanDays: random.int(0, 150) }),
    ...(random.int(0, 2) === 0 && { source: random.pick(["cli", "cron"]) }),
    ...(random.int(0, 2) === 0 && { archived: random.pick(["hide", "include", "only"] as const) }),
    ...(random.int(0, 3) === 0 && { includePinned: true }),
    ...(random.int(0, 4) === 0 && { lineageTipsOnly: true }),
    ...(random.int(0, 4) === 0 && { maxMessageCount: 1 }),
  };
}

type Kept = { id: string; parent: string | null; pinned: number; open: number; reason: string; forked: boolean };

function readKept(store: StateStore): Kept[] {
  const rows = store.read((r) =>
    r.all<Omit<Kept, "forked"> & { source: string; config: string | null }>(`SELECT id, parent_session_id AS parent,
      pinned, ended_at IS NULL AS open, end_reason AS reason, source, model_config AS config FROM sessions ORDER BY id`),
  );
  return rows.map(({ source, config, ...row }) => ({
    ...row,
    forked: source === "tool" || config?.includes(`from": "${String(row.parent)}"`) === true,
  }));
}

function messagesOf(store: StateStore): Map<string, string> {
  const rows = store.read((r) =>
    r.all<{ id: string; all: string }>(
      "SELECT session_id AS id, json_group_array(json_array(id, content, timestamp)) AS [all] FROM messages GROUP BY 1",
    ),
  );
  return new Map(rows.map((row) => [row.id, row.all]));
}

describe("a dry run", () => {
  it("COR-33 equals the run, and what is left is as it was", () => {
    const random = testRandom(seedFor("COR-33 prune"));
    let total = 0;
    for (let round = 0; round < 25; round++) {
      using test = openTestStore();
      const { store, clock } = test;
      layRandom(store, random, clock.now());
      const filter = randomFilter(random);
      const before = readKept(store);
      const messages = messagesOf(store);
      const dry = store.retention.prune(filter, { dryRun: true });
      expect(readKept(store)).toEqual(before);
      expect(store.retention.candidates(filter).map(({ id }) => id)).toEqual(dry.sessions);
      const run = store.retention.prune(filter);
      expect({ ...run, dryRun: true }).toEqual(dry);
      total += run.sessions.length;

      const gone = new Set(run.sessions);
      const left = before.filter(({ id }) => !gone.has(id));
      const orphaned = (parent: string | null): string | null => (parent !== null && gone.has(parent) ? null : parent);
      expect(readKept(store).map(({ id, parent }) => ({ id, parent }))).toEqual(
        left.map(({ id, parent }) => ({ id, parent: orphaned(parent) })),
      );
      for (const id of gone) messages.delete(id);
      expect(messagesOf(store)).toEqual(messages);
      for (const row of before) {
        if (!gone.has(row.id)) continue;
        expect(row.open).toBe(0);
        if (!filter.includePinned) expect(row.pinned).toBe(0);
        // Every later segment went with it.
        if (row.reason !== "compression") continue;
        expect(left.filter((child) => child.parent === row.id && !child.forked)).toEqual([]);
      }
      expect(store.retention.prune(filter, { dryRun: true }).sessions.filter((id) => gone.has(id))).toEqual([]);
      checkIndexes(store);
      expect(wrongCounters(store)).toEqual([]);
    }
    expect(total).toBeGreaterThan(20);
  });
});

describe("what changes during a run", () => {
  it("COR-33 is looked at again: a session that was reopened or pinned since the plan stays", () => {
    using test = openTestStore();
    for (const id of ["a", "b", "c", "root"]) ended(test, id, 100);
    sql(test.store, "UPDATE sessions SET end_reason = 'compression' WHERE id = 'root'");
    let meanwhile: (() => void) | undefined = () => {
      meanwhile = undefined;
      test.store.sessions.reopen("a");
      test.store.sessions.setFlag("b", "pinned", true);
      test.store.sessions.create({ id: "tip", source: "cli", parentSessionId: "root" });
    };
    const driver = wrappedDriver("interrupted", {
      running: (text) => {
        if (text === "BEGIN IMMEDIATE") meanwhile?.();
      },
    });
    const opened = meanwhile;
    meanwhile = undefined;
    using store = openStateStore({ path: test.path, clock: test.clock, driver });
    meanwhile = opened;
    expect(store.retention.prune({}, { dryRun: true }).sessions).toHaveLength(4);
    expect(store.retention.prune().sessions).toEqual(["c"]);
    expect(store.sessions.count({ includeChildren: true })).toBe(4);
  });
});

function countStatements(run: () => void): number {
  let count = 0;
  const listener = (): void => {
    count += 1;
  };
  subscribe("hermes:state:statement", listener);
  try {
    run();
  } finally {
    unsubscribe("hermes:state:statement", listener);
  }
  return count;
}

const MANY = 60_000;
const LAY_MANY = `
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
  INSERT INTO sessions (id, source, started_at, ended_at, end_reason, parent_session_id)
  SELECT 's' || i, 'cli', i, i, CASE WHEN i % 2 = 1 THEN 'compression' ELSE 'user_exit' END,
    CASE WHEN i % 2 = 0 THEN 's' || (i - 1) END
  FROM n`;

describe("many sessions", () => {
  it("COR-33 T20 60,000 of them, in two segments each, go with few statements", () => {
    using test = openTestStore();
    const { store } = test;
    store.write("many", (w) => w.run(LAY_MANY, [MANY]));
    sql(store, "UPDATE sessions SET pinned = 1 WHERE id = 's10'");
    expect(store.retention.prune({ source: "cli" }, { dryRun: true }).sessions).toHaveLength(MANY - 2);
    let left = 0;
    const statements = countStatements(() => {
      left = MANY - store.retention.prune({ source: "cli" }).sessions.length;
    });
    expect(left).toBe(2);
    expect(store.sessions.list({ includeChildren: true }).sessions.map((row) => row.id)).toEqual(["s10", "s9"]);
    expect(statements).toBeLessThan(MANY / 30);
  }, 60_000);

  it("COR-33 60,000 named ones, too", () => {
    using test = openTestStore();
    const { store } = test;
    store.write("many", (w) => w.run(LAY_MANY, [MANY]));
    const ids = Array.from({ length: MANY }, (_, index) => `s${String(index + 1)}`);
    let deleted = 0;
    const statements = countStatements(() => {
      deleted = store.retention.delete([...ids, "unknown", "s1"]).deleted;
    });
    expect(deleted).toBe(MANY);
    expect(statements).toBeLessThan(MANY / 30);
    expect(store.sessions.count({ includeChildren: true })).toBe(0);
  }, 60_000);
});
