import { detachFts, readIndexState, stepBackfill } from "@hermes/state-schema";
import type { FtsLayout } from "@hermes/state-schema";
import { buildOldStore, describePython, openPeerDatabase, startPythonPeer, tempDir, testClock } from "@hermes/testkit";
import type { OldFtsLayout, TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { acquireKernelLock, openStateStore, systemClock } from "../src/index.js";
import type { StateStore } from "../src/index.js";
import { INDEX_DAMAGE } from "./support/damage-index.js";

const FIRST = 30;
const SQL = {
  triggers: `SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages\\_fts%' ESCAPE '\\'
    ORDER BY name`,
  match: "SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH ?",
  trigram: "SELECT rowid AS id FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ?",
  wordCount: "SELECT COUNT(*) AS n FROM messages_fts_docsize",
  rows: "SELECT COUNT(*) AS n, COALESCE(MAX(id), 0) AS newest FROM messages",
  check: (table: string) => `INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`,
};

/** A store of some layout with old rows and `count` new ones, whose words are `term<n>`; closed. */
function build(dir: TempDir, layout: OldFtsLayout, count = 60): string {
  const path = dir.file("state.db");
  buildOldStore(path, layout === "content-only" ? 10 : layout === 0 ? 22 : layout === 3 ? 30 : 29, {
    fts: layout,
    messages: FIRST / 2,
  });
  using store = openStateStore({ path });
  store.messages.appendBatch(
    "old-1",
    Array.from({ length: count }, (_, n) => ({ role: "user", content: `term${n} needle straw${n}end` })),
  );
  return path;
}

function newest(store: StateStore): number {
  return store.read((r) => r.get<{ newest: number }>(SQL.rows)?.newest ?? 0);
}

function triggers(store: StateStore): string[] {
  return store.read((r) => r.all<{ name: string }>(SQL.triggers)).map(({ name }) => name);
}

/** Everything that must hold of an index that was replaced and filled. */
function expectWhole(store: StateStore, layout: FtsLayout, newRows: number): void {
  const { capabilities } = store.info();
  expect(store.read((r) => readIndexState(r, capabilities))).toEqual({
    layout,
    word: { present: true, triggers: true, readable: true },
    trigram: { present: true, triggers: true, readable: true },
    stale: false,
    pending: undefined,
  });
  expect(store.meta.get("fts_rebuild_deferral")).toBeUndefined();
  const rows = store.read((r) => r.get<{ n: number }>(SQL.rows)?.n);
  expect(store.read((r) => r.get<{ n: number }>(SQL.wordCount)?.n)).toBe(rows);
  for (let n = 0; n < newRows; n++) {
    const id = FIRST + n + 1;
    expect(
      store.read((r) => r.all(SQL.match, [`term${n}`])),
      `term${n}`,
    ).toEqual([{ id }]);
    expect(
      store.read((r) => r.all(SQL.trigram, [`"raw${n}e"`])),
      `straw${n}`,
    ).toEqual([{ id }]);
  }
  expect(store.read((r) => r.all(SQL.match, ["needle"]))).toHaveLength(newRows);
  store.write("test: check", (w) => {
    for (const table of ["messages_fts", "messages_fts_trigram"]) w.run(SQL.check(table));
  });
  const lines = store.read((r) => r.all<{ integrity_check: string }>("PRAGMA integrity_check"));
  const text = lines.map((line) => line.integrity_check).join("\n");
  // Pages of a table that could not be read stay unused until a VACUUM.
  expect(text.replace(/^\*\*\* in database main \*\*\*$|^Page \d+: never used$/gm, "").trim()).toMatch(/^(ok)?$/);
}

const LAYOUTS = ["content-only", 0, 1, 2, 3] as const;

describePython("a stale index at open", () => {
  for (const layout of LAYOUTS) {
    const target = layout === 1 || layout === 2 ? layout : 3;
    for (const [title, spoil] of Object.entries(INDEX_DAMAGE)) {
      it(`SEA-11 COR-09 is replaced: layout ${String(layout)}, ${title}`, () => {
        using dir = tempDir("stale");
        const path = build(dir, layout);
        spoil(path);
        {
          using store = openStateStore({ path });
          store.messages.append("old-1", { role: "user", content: "term60 needle straw60end" });
          // Some damage hides from a write: whoever finds it detaches the index in the same way.
          if (store.meta.get("fts_stale") === undefined) store.write("test: detach", detachFts);
          expect(triggers(store)).toEqual([]);
          store.messages.append("old-1", { role: "user", content: "term61 needle straw61end" });
          expect(newest(store)).toBe(FIRST + 62);
        }
        using store = openStateStore({ path });
        expectWhole(store, target, 62);
        store.messages.append("old-1", { role: "user", content: "term62 needle straw62end" });
        expectWhole(store, target, 63);
      });
    }
  }

  it("SEA-11 SCH-09 is replaced where the index is mixed, and the CJK index of peers is left alone", () => {
    using dir = tempDir("stale");
    const path = build(dir, "mixed");
    {
      using store = openStateStore({ path });
      store.write("test: an index of a peer", (w) => {
        w.exec("CREATE TABLE messages_fts_cjk_config (k PRIMARY KEY, v) WITHOUT ROWID");
        w.exec("CREATE VIEW messages_fts_cjk_src AS SELECT id, content FROM messages");
        w.run("INSERT INTO state_meta (key, value) VALUES ('fts_cjk_stale', '1'), ('fts_cjk_rebuild_progress', '7')");
        detachFts(w);
      });
    }
    using store = openStateStore({ path });
    expectWhole(store, 3, 60);
    expect(store.meta.get("fts_cjk_stale")).toBe("1");
    expect(store.meta.get("fts_cjk_rebuild_progress")).toBe("7");
    const names = store.read((r) => r.all<{ name: string }>("SELECT name FROM sqlite_master")).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["messages_fts_cjk_config", "messages_fts_cjk_src"]));
  });

  it("SEA-11 is sound for the peer's older library", async () => {
    using dir = tempDir("stale");
    const path = build(dir, 3);
    INDEX_DAMAGE["the first page of its data zeroed"]?.(path);
    {
      using store = openStateStore({ path });
      store.messages.append("old-1", { role: "user", content: "term60 needle straw60end" });
    }
    openStateStore({ path }).close();
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    expect(await db.ftsCheck("messages_fts")).toBe("ok");
    expect(await db.ftsCheck("messages_fts_trigram")).toBe("ok");
    await db.append("old-1", { role: "user", content: "term61 needle straw61end" });
    await db.close();
    using store = openStateStore({ path });
    expectWhole(store, 3, 62);
  });

  it("SEA-10 SEA-11 stays stale while another process has the file open, says so, and is replaced when it is gone", async () => {
    using dir = tempDir("stale");
    const path = build(dir, 3);
    const clock = testClock(1_700_000_000);
    {
      using store = openStateStore({ path, clock });
      store.write("test: detach", detachFts);
    }
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await db.sql("SELECT COUNT(*) FROM messages");
    for (const attempts of [1, 2]) {
      clock.advance(60_000);
      using store = openStateStore({ path, clock });
      expect(triggers(store)).toEqual([]);
      expect(store.meta.get("fts_stale")).toBe("1");
      expect(JSON.parse(store.meta.get("fts_rebuild_deferral") ?? "")).toMatchObject({
        attempts,
        holder_pids: [peer.pid],
        holders_attempts: attempts,
        futile: false,
      });
      store.messages.append("old-1", { role: "user", content: "stored all the same" });
    }
    await db.close();
    using store = openStateStore({ path, clock });
    expect(store.meta.get("fts_stale")).toBeUndefined();
    expect(store.meta.get("fts_rebuild_deferral")).toBeUndefined();
    expect(triggers(store)).toHaveLength(6);
  });
});

describe("a stale index at open, and the bounds of it", () => {
  function create(dir: TempDir, count: number): string {
    const path = dir.file("state.db");
    using store = openStateStore({ path });
    store.sessions.create({ id: "s", source: "cli" });
    const texts = Array.from({ length: count }, (_, n) => ({ role: "user", content: `word${n}` }));
    store.messages.appendBatch("s", texts);
    store.write("test: detach", detachFts);
    return path;
  }

  it("SEA-11 is filled by 20 steps of 500 rows at most; the rest comes in steps", () => {
    using dir = tempDir("stale");
    const path = create(dir, 10_700);
    using store = openStateStore({ path });
    const { capabilities } = store.info();
    expect(store.read((r) => readIndexState(r, capabilities))).toMatchObject({
      stale: false,
      pending: { progress: 10_000, highWater: 10_700 },
    });
    expect(store.write("test: step", (w) => stepBackfill(w, capabilities))).toBe("more");
    expect(store.write("test: step", (w) => stepBackfill(w, capabilities))).toBe("done");
    expect(store.read((r) => r.all(SQL.match, ["word10699"]))).toHaveLength(1);
  });

  it("SEA-11 is never touched by a reader", () => {
    using dir = tempDir("stale");
    const path = create(dir, 10);
    using store = openStateStore({ path, mode: "read" });
    expect(store.meta.get("fts_stale")).toBe("1");
    expect(triggers(store)).toEqual([]);
  });

  it("SEA-11 is not rebuilt by ordinary writes, however many", () => {
    using dir = tempDir("stale");
    const path = dir.file("state.db");
    using store = openStateStore({ path });
    store.sessions.create({ id: "s", source: "cli" });
    store.write("test: detach", detachFts);
    for (let n = 0; n < 120; n++) store.messages.append("s", { role: "user", content: `word${n}` });
    expect(store.meta.get("fts_stale")).toBe("1");
    expect(triggers(store)).toEqual([]);
  });

  it("SEA-09 SEA-11 waits its bound for another rebuild, stays stale and goes on storing", () => {
    using dir = tempDir("stale");
    const path = create(dir, 10);
    const held = acquireKernelLock(`${path}.fts_rebuild.lock`, 0, systemClock);
    const clock = testClock(1_700_000_000);
    {
      using store = openStateStore({ path, clock });
      expect(clock.monotonicMs()).toBeGreaterThan(119_000);
      expect(clock.monotonicMs()).toBeLessThan(121_000);
      expect(store.meta.get("fts_stale")).toBe("1");
      expect(JSON.parse(store.meta.get("fts_rebuild_deferral") ?? "")).toMatchObject({ holder_pids: [process.pid] });
      store.messages.append("s", { role: "user", content: "stored" });
    }
    if (held.kind === "acquired") held.release();
    using store = openStateStore({ path, clock });
    expect(store.meta.get("fts_stale")).toBeUndefined();
  });
});
