import { tempDir, testClock, testRandom } from "@hermes/testkit";
import { expect, it } from "vitest";
import { mergeIndexPages, mergeIndexWhole, openStateStore, resolveMergeBounds } from "../src/index.js";
import type { MergeBounds, StateStore } from "../src/index.js";
import { checkIndexes } from "./support/dump-store.js";
import { wrappedDriver } from "./wrapped-driver.js";

const WRITES = 1_000;

interface Merging extends Disposable {
  readonly store: StateStore;
  /** Merge commands that ran, and what the next ones throw. */
  readonly merges: { ran: number; failure: Error | undefined };
}

function openMerging(): Merging {
  const dir = tempDir("merges");
  const merges: Merging["merges"] = { ran: 0, failure: undefined };
  const driver = wrappedDriver("merging", {
    running: (sql) => {
      if (!sql.includes("'merge'") && !sql.includes("'usermerge'")) return;
      merges.ran += 1;
      if (merges.failure) throw merges.failure;
    },
  });
  const options = { clock: testClock(), random: testRandom(3), driver, durability: "normal" as const };
  const store = openStateStore({ path: dir.file("state.db"), ...options });
  return {
    store,
    merges,
    [Symbol.dispose]: () => {
      store.close();
      dir[Symbol.dispose]();
    },
  };
}

/** Appends until merges run; the open itself has committed some writes too. */
function writeUntilMerge({ store, merges }: Merging): void {
  store.sessions.create({ id: "s", source: "cli" });
  for (let count = 1; merges.ran === 0; count += 1) {
    if (count > WRITES) throw new Error("no merge came");
    store.messages.append("s", { role: "user", content: `word${count} filler ${"x".repeat(count % 50)}` });
  }
}

const MESSAGES = "SELECT COUNT(*) AS n FROM messages";
const SEGMENTS = "SELECT COUNT(DISTINCT segid) AS n FROM messages_fts_idx";
const USERMERGE = "SELECT v FROM messages_fts_config WHERE k = 'usermerge'";
const numberOf = (store: StateStore, sql: string): number => store.read((r) => r.get<{ n: number }>(sql))?.n ?? -1;

it("SEA-13 merges after 1,000 writes, a bounded number of commands per index", () => {
  using merging = openMerging();
  const { store, merges } = merging;
  writeUntilMerge(merging);
  const appended = numberOf(store, MESSAGES);
  expect(appended).toBeGreaterThan(WRITES - 30);
  expect(appended).toBeLessThan(WRITES);
  // Two indexes: each is lowered once and merged by four commands at most.
  expect(merges.ran).toBeGreaterThan(2);
  expect(merges.ran).toBeLessThanOrEqual(2 * (1 + 4));
  expect(store.read((r) => r.get(USERMERGE))).toEqual({ v: 2 });
  checkIndexes(store);
});

it("SEA-13 COR-10 a merge that throws at write 1000 is not seen: the write succeeds once, its row exists once", () => {
  using merging = openMerging();
  const { store, merges } = merging;
  merges.failure = new Error("injected: not even an error of the engine");
  writeUntilMerge(merging);
  const last = store.read((r) =>
    r.get<{ content: string; n: number }>(
      "SELECT content, (SELECT COUNT(*) FROM messages AS m WHERE m.content = l.content) AS n FROM messages AS l ORDER BY id DESC",
    ),
  );
  expect(last?.n).toBe(1);
  // One failure per index, and the next write is as good as any.
  expect(merges.ran).toBe(2);
  store.messages.append("s", { role: "user", content: "after" });
  expect(numberOf(store, "SELECT COUNT(*) AS n FROM messages WHERE content = 'after'")).toBe(1);
  checkIndexes(store);
});

it("SEA-13 a merge does not wait for the file: another writer has it now", () => {
  using merging = openMerging();
  const { merges } = merging;
  merges.failure = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
  writeUntilMerge(merging);
  expect(merges.ran).toBe(2);
});

it("SEA-13 merges whole indexes in bounded steps to one segment each, and finds the same as before", () => {
  using merging = openMerging();
  const { store } = merging;
  store.sessions.create({ id: "s", source: "cli" });
  store.write("test: no merges by the engine", (w) =>
    w.exec("INSERT INTO messages_fts(messages_fts, rank) VALUES ('automerge', 0)"),
  );
  for (let batch = 0; batch < 12; batch += 1) {
    const messages = Array.from({ length: 60 }, (_, n) => ({
      role: "user",
      content: `item${n} ${Array.from({ length: 20 }, (_word, word) => `w${batch}x${n}x${word}`).join(" ")}`,
    }));
    store.messages.appendBatch("s", messages);
  }
  const find = (): unknown =>
    store.read((r) => r.tuples("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'item7' ORDER BY rowid"));
  const before = find();
  expect(numberOf(store, SEGMENTS)).toBeGreaterThan(5);
  const steps = [...mergeIndexWhole((fn) => store.write("test: merge", fn), "messages_fts", 1)];
  expect(steps.length).toBeGreaterThan(1);
  expect(numberOf(store, SEGMENTS)).toBe(1);
  expect(find()).toEqual(before);
  expect([...mergeIndexWhole((fn) => store.write("test: merge", fn), "messages_fts", 1)]).toEqual([]);
  checkIndexes(store);
});

it("SEA-13 each merge command is a transaction of its own", () => {
  using merging = openMerging();
  const { store } = merging;
  store.sessions.create({ id: "s", source: "cli" });
  store.messages.append("s", { role: "user", content: "one" });
  let transactions = 0;
  const merged = mergeIndexPages(
    (fn) => {
      transactions += 1;
      return store.write("test: merge", fn);
    },
    "messages_fts",
    { pages: 5, commands: 3 },
  );
  // One to lower the floor, one per command, the last of which found nothing.
  expect(transactions).toBe(merged + 2);
});

it("SEA-13 bounds are whole numbers above 0", () => {
  expect(resolveMergeBounds("merge")).toEqual({ pages: 500, commands: 4 });
  expect(resolveMergeBounds("merge", { pages: 1 })).toEqual({ pages: 1, commands: 4 });
  for (const bad of [true, false, "5", null]) {
    for (const name of ["pages", "commands"]) {
      expect(() => resolveMergeBounds("merge", { [name]: bad })).toThrow(TypeError);
    }
  }
  for (const bad of [0, -1, 1.5, NaN, Infinity]) {
    expect(() => resolveMergeBounds("merge", { pages: bad })).toThrow(RangeError);
    expect(() => resolveMergeBounds("merge", { commands: bad })).toThrow(RangeError);
  }
  expect(() => resolveMergeBounds("merge", { page: 1 } as MergeBounds)).toThrow(TypeError);
});
