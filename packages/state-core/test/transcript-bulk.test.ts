import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { copyPeerFile, describePeer, describePython, runPython, spawnNode, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { NewMessage, StateStore } from "../src/index.js";
import { checkIndexes, wrongCounters } from "./support/dump-store.js";
import { openTestStore, sql } from "./support/open-test-store.js";
import { childScript } from "./worker.js";

const KINDS: readonly NewMessage[] = [
  { role: "user", content: "needle in a question" },
  { role: "assistant", content: "", toolCalls: [{ id: "c", function: { name: "grep", arguments: '{"q": "needle"}' } }] },
  { role: "tool", content: `${"hay ".repeat(2500)}needle`, toolName: "grep_needle", toolCallId: "c" },
  { role: "assistant", content: "修改youer服务端 needle" },
  { role: "user", content: [{ type: "text", text: "needle in parts" }] },
  { role: "user", content: null },
];

const batch = (size: number): NewMessage[] => Array.from({ length: size }, (_, n) => ({ ...KINDS[n % KINDS.length]! }));

/** What the two indexes hold. */
function indexed(store: StateStore): unknown {
  checkIndexes(store);
  return store.read((r) =>
    ["messages_fts", "messages_fts_trigram"].map((table) => [
      r.all(`SELECT id, hex(sz) AS sizes FROM ${table}_docsize ORDER BY id`),
      ...["needle", "grep", '"服务端"'].map((term) =>
        r.tuples(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`, [term]),
      ),
    ]),
  );
}

/** Runs `fn` and tells which statements it caused. */
function statementsOf(fn: () => void): string[] {
  const seen: string[] = [];
  const note = (event: unknown): void => void seen.push((event as { sql: string }).sql);
  subscribe("hermes:state:statement", note);
  try {
    fn();
  } finally {
    unsubscribe("hermes:state:statement", note);
  }
  return seen;
}

const isBulk = (statements: readonly string[]): boolean =>
  statements.some((text) => /INSERT INTO messages_fts\(rowid[^]*SELECT id/.test(text));

describe("COR-21 a batch is indexed at once", () => {
  it("COR-21 with the rows, sizes and hits that single appends leave, and no markers", () => {
    using single = openTestStore();
    using batched = openTestStore();
    for (const { store } of [single, batched]) {
      store.sessions.create({ id: "s1", source: "cli" });
      store.sessions.create({ id: "cron", source: "cron" });
      store.messages.append("s1", KINDS[0]!);
    }
    for (const message of batch(30)) single.store.messages.append("s1", message);
    for (const message of batch(6)) single.store.messages.append("cron", message);
    expect(isBulk(statementsOf(() => batched.store.messages.appendBatch("s1", batch(30))))).toBe(true);
    batched.store.messages.appendBatch("cron", batch(6));
    expect(indexed(batched.store)).toEqual(indexed(single.store));
    expect(batched.store.sessions.get("s1")).toMatchObject({ messageCount: 31, toolCallCount: 5 });
    const meta = batched.store.read((r) => r.all("SELECT key FROM state_meta WHERE key LIKE 'fts_rebuild%'"));
    expect(meta).toEqual([]);
  });

  it("COR-21 not for one or two, nor for what the session holds already", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    const known = ["a", "b", "c"].map((platformMessageId) => ({ ...KINDS[0]!, platformMessageId }));
    expect(isBulk(statementsOf(() => messages.appendBatch("s1", batch(2))))).toBe(false);
    expect(isBulk(statementsOf(() => messages.appendBatch("s1", known)))).toBe(true);
    expect(isBulk(statementsOf(() => messages.appendBatch("s1", [...known, ...batch(2)])))).toBe(false);
    checkIndexes(test.store);
  });

  it.each(["fts_rebuild_high_water", "fts_rebuild_progress", "fts_stale"])(
    "COR-21 never while %s is set; the key stays as it is",
    (key) => {
      using test = openTestStore();
      test.store.sessions.create({ id: "s1", source: "cli" });
      sql(test.store, "INSERT INTO state_meta VALUES (?, '5')", key);
      expect(isBulk(statementsOf(() => test.store.messages.appendBatch("s1", batch(20))))).toBe(false);
      expect(test.store.meta.get(key)).toBe("5");
      expect(test.store.messages.count("s1")).toBe(20);
    },
  );

  it("COR-09 P01 a damaged index is detached, and the whole batch is stored", () => {
    using test = openTestStore();
    test.store.sessions.create({ id: "s1", source: "cli" });
    test.store.messages.appendBatch("s1", batch(60));
    test.store.close();
    // An open would fill an index again that it finds so: the damage comes while the store is in use.
    using store = openStateStore({ path: test.path });
    runPython(
      "db = sqlite3.connect(args); db.execute(\"UPDATE messages_fts_data SET block = x'00' WHERE id >= 10\"); db.commit(); answer(1)",
      test.path,
    );
    expect(store.messages.appendBatch("s1", batch(20))).toHaveLength(20);
    expect(store.messages.count("s1")).toBe(80);
    expect(wrongCounters(store)).toEqual([]);
    expect([store.meta.get("fts_rebuild_high_water"), store.meta.get("fts_stale")]).toEqual([undefined, "1"]);
  });

  it.each([
    ["docsize", "DROP TABLE messages_fts_docsize"],
    ["data", "DROP TABLE messages_fts_data"],
  ])("COR-09 an index without its %s table ends like a row by row append does", (_title, drop) => {
    const outcome = (write: (store: StateStore) => unknown): unknown => {
      using test = openTestStore();
      test.store.sessions.create({ id: "s1", source: "cli" });
      test.store.messages.appendBatch("s1", batch(10));
      test.store.close();
      runPython(
        "db = sqlite3.connect(args[0]); db.execute(\"PRAGMA writable_schema = ON\"); db.execute(args[1]); db.commit(); answer(1)",
        [test.path, drop],
      );
      using store = openStateStore({ path: test.path });
      try {
        write(store);
        return [store.messages.count("s1") > 10, store.meta.get("fts_stale")];
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    const single = outcome((store) => store.messages.append("s1", KINDS[0]!));
    expect(outcome((store) => store.messages.appendBatch("s1", batch(10)))).toEqual(single);
  });

  it("COR-21 SIGKILL before any statement of the batch leaves nothing of it", async () => {
    using dir = tempDir("batch");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "cli" });
      store.messages.append("s1", KINDS[0]!);
    }
    let alive = 0;
    for (const point of [2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20]) {
      const child = spawnNode(childScript("batch-and-die.mjs"), [path, String(point)]);
      const end = await child.exit;
      using store = openStateStore({ path });
      checkIndexes(store);
      expect(wrongCounters(store)).toEqual([]);
      expect(store.meta.get("fts_rebuild_high_water")).toBeUndefined();
      if (end.signal === "SIGKILL") expect(store.messages.count("s1")).toBe(1);
      else alive += 1;
      if (end.code === 0) break;
    }
    using store = openStateStore({ path });
    expect(store.messages.count("s1")).toBe(1 + 6 * alive);
    expect(store.read((r) => r.get("SELECT COUNT(*) AS n FROM messages_fts WHERE messages_fts MATCH 'batched'"))).toEqual({ n: 6 * alive });
  }, 60_000);
});

describePeer("COR-21 batches into files of peers", () => {
  const bulk = ["peer-v23.db", "peer-v26.db", "peer-v30-hybrid.db", "peer-small.db"];
  const rowByRow = ["peer-v04.db", "peer-v11.db", "peer-v22.db", "peer-v26-from-v04-direct.db", "peer-v26-rebuild-pending.db"];

  it.each([...bulk, ...rowByRow])("COR-21 GND-07 %s: at once where its triggers are gated, row by row elsewhere", (name) => {
    using dir = tempDir("peer");
    const path = copyPeerFile(name, dir);
    using store = openStateStore({ path });
    store.sessions.create({ id: "bulk", source: "cli" });
    const pending = store.meta.get("fts_rebuild_high_water");
    const statements = statementsOf(() => store.messages.appendBatch("bulk", batch(12)));
    if (bulk.includes(name)) expect(isBulk(statements)).toBe(true);
    if (!bulk.includes(name) && pending !== undefined) expect(isBulk(statements)).toBe(false);
    expect(store.meta.get("fts_rebuild_high_water")).toBe(pending);
    const match = "SELECT COUNT(*) AS n FROM messages_fts WHERE messages_fts MATCH 'needle' AND rowid IN (SELECT id FROM messages WHERE session_id = 'bulk')";
    const hits = store.read((r) => r.get<{ n: number }>(match)!.n);
    expect(hits).toBeGreaterThanOrEqual(6);
    store.messages.clear("bulk");
    expect(store.read((r) => r.get<{ n: number }>(match)!.n)).toBe(0);
    if (bulk.includes(name)) checkIndexes(store);
  });
});

describePython("COR-21 GND-07 beside a real Python process", () => {
  it("COR-21 Python finds a batch, changes and deletes its rows, and the indexes stay right both ways round", () => {
    using test = openTestStore();
    test.store.sessions.create({ id: "s1", source: "cli" });
    // Structured content holds a NUL, which the trigram tokenizer of an old library takes for the end.
    const plain = batch(24).filter((message) => typeof message.content !== "object" || message.content === null);
    test.store.messages.appendBatch("s1", plain);
    const found = runPython<unknown>(
      `
db = sqlite3.connect(args)
hits = [row[0] for row in db.execute("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'needle' ORDER BY rowid")]
db.execute("BEGIN IMMEDIATE")
db.execute("UPDATE messages SET content = 'changed by python' WHERE id IN (1, 5)")
db.execute("DELETE FROM messages WHERE id IN (2, 3, 4)")
db.commit()
for table in ("messages_fts", "messages_fts_trigram"):
  db.execute("INSERT INTO %s(%s, rank) VALUES ('integrity-check', 1)" % (table, table))
answer([len(hits), db.execute("SELECT COUNT(*) FROM state_meta WHERE key LIKE 'fts_rebuild%'").fetchone()[0]])`,
      test.path,
    );
    expect(found).toEqual([16, 0]);
    checkIndexes(test.store);
    const changed = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'changed' ORDER BY rowid";
    expect(test.store.read((r) => r.tuples(changed))).toEqual([[1], [5]]);
  });
});
