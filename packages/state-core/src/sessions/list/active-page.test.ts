import { seedFor, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import type { Reader } from "@hermes/state-schema";
import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../../test/support/open-test-store.js";
import { queryPlans, recordingReader } from "../../../test/support/recording-reader.js";
import type { Statement } from "../../../test/support/recording-reader.js";
import type { StateStore } from "../../index.js";
import { findActivePage } from "./active-page.js";
import { filterSql } from "./filter-sql.js";
import { activePlaces } from "./list-place.js";
import type { ListPlace, Stretch } from "./list-place.js";
import { NewestMessages } from "./newest-messages.js";
import type { SessionFilter } from "./session-filter.js";

const FIRST = 3;
const WHOLE: Stretch = { after: undefined, limit: 1_000, offset: 0 };
const FILTERS: readonly SessionFilter[] = [
  {},
  { includeChildren: true },
  { source: "cli", includeChildren: true },
  { archived: "include", hidden: "include" },
  { searchQuery: "1" },
  { lastActiveAfterSeconds: 1_500, includeChildren: true },
];

const DELETE_NEWEST = `
  DELETE FROM messages WHERE session_id = ? AND timestamp = (SELECT MAX(timestamp) FROM messages WHERE session_id = ?)`;

/** A moment as writers may leave it: mostly sane, often equal, now and then absurd. */
function oddMoment(random: TestRandom): number | string | null {
  const kind = random.int(0, 19);
  if (kind === 0) return "not-a-timestamp";
  if (kind === 1) return 5.49e246;
  if (kind === 2) return -random.int(1, 9);
  if (kind === 3) return null;
  return 1_000 + random.int(0, 20) * 60;
}

/** Everything that may happen between two listings, by whoever it is done. */
class RandomStore {
  #sessions = 0;

  constructor(
    readonly store: StateStore,
    readonly random: TestRandom,
  ) {}

  step(): void {
    const { store, random } = this;
    const any = `s${String(random.int(0, Math.max(0, this.#sessions - 1)))}`;
    const kind = random.int(0, 11);
    if (this.#sessions < 8 || kind === 0) this.#addSession();
    else if (kind <= 5) this.#addMessages(any);
    else if (kind === 6) sql(store, "UPDATE sessions SET last_activity_at = ? WHERE id = ?", oddMoment(random), any);
    else if (kind === 7) this.#deleteMessages(any);
    else if (kind === 8) sql(store, "UPDATE sessions SET archived = 1 - archived WHERE id = ?", any);
    else if (kind === 9) sql(store, "UPDATE sessions SET end_reason = 'compression', ended_at = 5 WHERE id = ?", any);
    else if (kind === 10) sql(store, "UPDATE sessions SET parent_session_id = ? WHERE id = ?", any, this.#other());
    else sql(store, "UPDATE sessions SET hidden = 1, end_reason = NULL WHERE id = ?", any);
  }

  #other(): string {
    return `s${String(this.random.int(0, this.#sessions - 1))}`;
  }

  #addSession(): void {
    const { random } = this;
    const parent = this.#sessions > 0 && random.int(0, 2) === 0 ? this.#other() : null;
    const source = random.pick(["cli", "telegram", "tool"]);
    const config = random.pick([null, null, "{broken", `{"_branched_from": "${String(parent)}"}`]);
    sql(
      this.store,
      "INSERT INTO sessions (id, source, parent_session_id, model_config, started_at) VALUES (?, ?, ?, ?, ?)",
      `s${String(this.#sessions)}`,
      source,
      parent,
      config,
      oddMoment(random) ?? 0,
    );
    this.#sessions += 1;
  }

  /** All of them, or the newest, so that an older one is the newest now. */
  #deleteMessages(sessionId: string): void {
    if (this.random.int(0, 2) === 0) sql(this.store, "DELETE FROM messages WHERE session_id = ?", sessionId);
    else sql(this.store, DELETE_NEWEST, sessionId, sessionId);
  }

  #addMessages(sessionId: string): void {
    for (let left = this.random.int(1, 3); left > 0; left--) {
      const at = oddMoment(this.random) ?? 7;
      sql(this.store, "INSERT INTO messages (session_id, role, timestamp) VALUES (?, 'user', ?)", sessionId, at);
    }
  }
}

function naive(r: Reader, filter: SessionFilter, stretch: Stretch): ListPlace[] {
  const { sql: text, params } = activePlaces(filterSql(filter), stretch);
  return r.all<ListPlace>(text, params);
}

/** The order by activity of all rows, worked out from the rows themselves. */
function byHand(r: Reader): string[] {
  const sane = (cell: unknown): cell is number => typeof cell === "number" && cell >= 0 && cell < 253_402_300_800;
  type Row = { id: string; parent: string | null; reason: string | null; source: string; config: string | null };
  const rows = r.all<Row & { started: unknown; touched: unknown }>(`SELECT id, parent_session_id AS parent,
    end_reason AS reason, source, model_config AS config, started_at AS started, last_activity_at AS touched FROM sessions`);
  const newest = new Map<string, number>();
  for (const { id, at } of r.all<{ id: string; at: unknown }>("SELECT session_id AS id, timestamp AS at FROM messages")) {
    if (sane(at)) newest.set(id, Math.max(at, newest.get(id) ?? -1));
  }
  const startOf = (row: (typeof rows)[number]): number => (sane(row.started) ? row.started : -1);
  const activityOf = (row: (typeof rows)[number]): number => {
    const moments = [newest.get(row.id), row.touched].filter(sane);
    return moments.length > 0 ? Math.max(...moments) : startOf(row);
  };
  const forked = (row: Row): boolean =>
    row.source === "tool" || row.config?.includes(`"_branched_from": "${String(row.parent)}"`) === true;
  const segments = (row: Row, seen: Set<Row>): Set<Row> => {
    if (seen.has(row)) return seen;
    seen.add(row);
    if (row.reason !== "compression") return seen;
    for (const child of rows) if (child.parent === row.id && !forked(child)) segments(child, seen);
    return seen;
  };
  const places = rows.map((row) => ({
    id: row.id,
    started: startOf(row),
    moment: Math.max(...[...segments(row, new Set())].map((part) => activityOf(part as (typeof rows)[number]))),
  }));
  const order = (a: ListPlace, b: ListPlace): number =>
    b.moment - a.moment || b.started - a.started || (a.id < b.id ? 1 : -1);
  return places.sort(order).map((place) => place.id);
}

describe("a page by activity", () => {
  it("P24 COR-31 equals the computation over all sessions, whatever was written in between", () => {
    const random = testRandom(seedFor("P24 active page"));
    let shown = 0;
    for (let round = 0; round < 12; round++) {
      using test = openTestStore();
      test.store.write("without indexes", (w) => {
        for (const event of ["insert", "delete"]) {
          w.exec(`DROP TRIGGER messages_fts_${event}`);
          w.exec(`DROP TRIGGER messages_fts_trigram_${event}`);
        }
      });
      const rows = new RandomStore(test.store, random);
      const newest = new NewestMessages(test.clock);
      for (let page = 0; page < 30; page++) {
        for (let steps = random.int(0, 6); steps > 0; steps--) rows.step();
        test.store.read((r) => {
          const filter = random.pick(FILTERS);
          const all = naive(r, filter, WHOLE);
          const stretch = { after: undefined, limit: random.int(1, 6), offset: random.pick([0, 0, 2]) };
          const after = random.int(0, 1) === 0 ? undefined : all[random.int(0, all.length)];
          const wanted = after ? { after, limit: random.int(1, 6), offset: 0 } : stretch;
          const found = findActivePage(r, filterSql(filter), wanted, newest, FIRST);
          if (!found) return;
          shown += 1;
          expect(found).toEqual(naive(r, filter, wanted));
        });
      }
      test.store.read((r) => {
        const all = naive(r, { includeChildren: true, archived: "include", hidden: "include" }, WHOLE);
        expect(all.map((place) => place.id)).toEqual(byHand(r));
      });
    }
    expect(shown).toBeGreaterThan(150);
  });
});

/** Sessions `s0` to `sN`, started at 1,000 and so on, each with a message at its own moment. */
function lay(store: StateStore, moments: readonly number[]): void {
  moments.forEach((timestampSeconds, index) => {
    const id = `s${String(index)}`;
    store.sessions.create({ id, source: "cli", startedAtSeconds: 1 });
    store.messages.append(id, { role: "user", content: "x", timestampSeconds });
  });
}

function pageOf(store: StateStore, newest: NewestMessages, stretch: Partial<Stretch>): string[] | undefined {
  const wanted = { after: undefined, offset: 0, limit: 2, ...stretch };
  return store.read((r) => findActivePage(r, filterSql({}), wanted, newest, 1))?.map((place) => place.id);
}

describe("what is remembered between pages", () => {
  it("P24 COR-31 a session whose newest message was deleted is found where it stands now", () => {
    using test = openTestStore();
    lay(test.store, [100, 90, 80, 70, 60, 50, 40]);
    test.store.messages.append("s0", { role: "user", content: "x", timestampSeconds: 65 });
    const newest = new NewestMessages(test.clock);
    expect(pageOf(test.store, newest, {})).toEqual(["s0", "s1"]);
    sql(test.store, "DELETE FROM messages WHERE timestamp = 100");
    const after = { id: "s3", moment: 70, started: 1 };
    expect(pageOf(test.store, newest, { after })).toEqual(["s0", "s4"]);
  });

  it("P24 COR-31 equal moments are told apart by all of them", () => {
    using test = openTestStore();
    lay(test.store, Array.from({ length: 9 }, () => 50));
    expect(pageOf(test.store, new NewestMessages(test.clock), {})).toEqual(["s8", "s7"]);
  });

  it("P24 moments that were rewritten in place are believed again after a minute", () => {
    using test = openTestStore();
    lay(test.store, Array.from({ length: 40 }, (_, index) => 100 + index));
    const newest = new NewestMessages(test.clock);
    expect(pageOf(test.store, newest, {})).toEqual(["s39", "s38"]);
    sql(test.store, "UPDATE messages SET timestamp = 900 WHERE session_id = 's0'");
    test.clock.advance(60_000);
    expect(pageOf(test.store, newest, {})).toEqual(["s0", "s39"]);
  });

  it("P24 a burst of messages makes it ask all sessions again", () => {
    using test = openTestStore();
    lay(test.store, [10, 20, 30]);
    const newest = new NewestMessages(test.clock);
    expect(pageOf(test.store, newest, {})).toEqual(["s2", "s1"]);
    test.store.write("a burst", (w) => {
      w.exec("DROP TRIGGER messages_fts_insert");
      w.exec("DROP TRIGGER messages_fts_trigram_insert");
      w.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
        INSERT INTO messages (session_id, role, timestamp) SELECT 's0', 'user', 40 FROM n`);
    });
    expect(pageOf(test.store, newest, {})).toEqual(["s0", "s2"]);
  });

  it("P24 computes the places of few sessions, and reads only session ids of new messages", () => {
    using test = openTestStore();
    const count = 400;
    test.store.write("many", (w) => {
      w.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO sessions (id, source, started_at) SELECT 's' || i, 'cli', i FROM n`, [count]);
    });
    const newest = new NewestMessages(test.clock);
    pageOf(test.store, newest, {});
    test.store.messages.append("s7", { role: "user", content: "x", timestampSeconds: 900 });
    const log: Statement[] = [];
    test.store.read((r) => {
      expect(findActivePage(recordingReader(r, log), filterSql({}), { ...WHOLE, limit: 20 }, newest)).toHaveLength(20);
      const plans = queryPlans(r, log);
      expect(plans).toContain("SEARCH m USING INTEGER PRIMARY KEY (rowid>?)");
      expect(plans.filter((detail) => /^SCAN (?:s|m|newest|messages)\b/.test(detail))).toEqual([]);
    });
    const candidates = JSON.parse(log.at(-1)!.params[0] as string) as string[];
    expect(candidates).toContain("s7");
    expect(candidates.length).toBeLessThan(100);
    expect(log.map((statement) => statement.sql).join()).not.toMatch(/content|prompt/);
  });
});
