import { openStateStore, type StateStore } from "@hermes/state-core";
import { detachFts, prepareUpgrade, readIndexState, stepTeardown, type Writer } from "@hermes/state-schema";
import { buildOldStore, describePython, type OldFtsLayout, runPython, tempHome, type TempHome } from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isOptimizeAvailable, optimizeStorage, type StorageReport } from "../src/index.js";
import { hookedDriver, WITHOUT_FTS5, WITHOUT_TRIGRAM } from "./helpers/hooked-driver.js";
import { searchIds } from "./helpers/search-ids.js";
import { expectWholeIndex } from "./helpers/word-census.js";

const CAPABLE = { fts5: true, trigram: true };
const OPTIONS = { pauseMs: 0 };
const META = "INSERT INTO state_meta (key, value) VALUES (?, ?)";
const LEFT = `
  SELECT name FROM sqlite_master WHERE name LIKE 'fts\\_v22\\_trash\\_%' ESCAPE '\\'
  UNION ALL SELECT key FROM state_meta WHERE key LIKE 'fts\\_teardown%' ESCAPE '\\'`;

/** One step of a teardown as a peer does it, past its marker, and a message through the triggers of the new index. */
const PEER_TEARDOWN = `
db = peer.connect(args["path"])
table, last = args["table"], 500
db.execute("BEGIN IMMEDIATE")
db.execute(f"DELETE FROM {table} WHERE id > 0 AND id <= ?", (last,))
db.execute("INSERT INTO state_meta (key, value) VALUES (?, ?)", (f"fts_teardown_{table}_progress", str(last)))
db.execute("INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('old-1', 'user', 'capybara', 1.5, 1)")
db.execute("COMMIT")
rows = db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
db.close()
answer(rows)
`;

let home: TempHome;

beforeEach(() => {
  home = tempHome();
});
afterEach(() => {
  home[Symbol.dispose]();
});

function build(layout: OldFtsLayout, version: number, messages = 60): void {
  buildOldStore(home.statePath, version, { journal: "delete", fts: layout, sessions: 2, messages });
}

const open = (options: Parameters<typeof openStateStore>[0] = {}): StateStore =>
  openStateStore({ path: home.statePath, durability: "normal", ...options });
const leftovers = (store: StateStore): unknown[] => store.read((r) => r.tuples(LEFT)).flat();

/** The four kinds of messages that an old store repeats, and how many of each. */
function expectAllFound(store: StateStore, each: number): void {
  for (const word of ["flaky", "quokka", "disk", "大别山", "zebra"]) {
    expect(searchIds(store, word), word).toHaveLength(each);
  }
}

describePython("optimizeStorage on old files", () => {
  it("SEA-12 works where the trigram tokenizer is absent; a capable open makes its index later", async () => {
    build(0, 22);
    {
      using poor = open({ driver: WITHOUT_TRIGRAM });
      expect(poor.info().capabilities.trigram).toBe(false);
      expect(isOptimizeAvailable(poor)).toBe(true);
      expect(await optimizeStorage(poor, OPTIONS)).toMatchObject({ ok: true, layout: 3, upgraded: true });
      expect(readState(poor)).toMatchObject({ layout: 3, pending: undefined, trigram: { present: false } });
      expect(leftovers(poor)).toEqual([]);
      expectAllFound(poor, 30);
      expect(isOptimizeAvailable(poor)).toBe(false);
    }
    using store = open();
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true });
    expectWholeIndex(store, "after a capable run");
  });

  it("SEA-12 an empty store finishes", async () => {
    buildOldStore(home.statePath, 22, { journal: "delete", sessions: 0 });
    using store = open();
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, layout: 3, upgraded: true });
    expectWholeIndex(store, "empty");
    expect(isOptimizeAvailable(store)).toBe(false);
  });

  it("SEA-12 markers that were committed before the new objects were made are gone on with", async () => {
    build(0, 22);
    {
      using store = open();
      store.write("test: what a peer leaves between its two transactions", (w) => {
        prepareUpgrade(w, CAPABLE);
        dropNewIndex(w);
      });
      expect(readState(store)).toMatchObject({ layout: "none", pending: { progress: 0 } });
      expectAllFound(store, 30);
      expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, layout: 3 });
      expectWholeIndex(store, "on the same handle");
      expectAllFound(store, 30);
    }
  });

  it("SEA-12 an upgrade begun to a layout that is old by now is put aside too, beside what it had put aside", async () => {
    build(0, 22);
    using store = open();
    store.write("test: an upgrade of a peer to its own newest layout", (w) => {
      prepareUpgrade(w, CAPABLE);
      w.exec("DROP TRIGGER messages_fts_insert");
    });
    expect(leftovers(store)).toHaveLength(10);
    store.write("test: again", (w) => expect(prepareUpgrade(w, CAPABLE)).toBe("replace"));
    // The new external indexes have no content table of their own.
    expect(leftovers(store)).toHaveLength(18);
    expect(leftovers(store)).toContain("fts_v22_trash_messages_fts_data_2");
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, layout: 3 });
    expectWholeIndex(store, "after");
  });

  it("SEA-12 GND-02 a Python process writes beside an upgrade and takes part of what was put aside", async () => {
    build(0, 22, 700);
    using store = open();
    store.write("test: put the index aside", (w) => prepareUpgrade(w, CAPABLE));
    const left = runPython<number>(PEER_TEARDOWN, {
      path: home.statePath,
      table: "fts_v22_trash_messages_fts_docsize",
    });
    expect(left).toBe(900);
    const marker = "fts_teardown_fts_v22_trash_messages_fts_docsize_progress";
    expect(leftovers(store)).toContain(marker);
    expect(searchIds(store, "capybara")).toHaveLength(1);
    expect(await optimizeStorage(store, { ...OPTIONS, force: true })).toMatchObject({ ok: true, layout: 3 });
    expectWholeIndex(store, "after");
    expect(searchIds(store, "capybara")).toHaveLength(1);
    expectAllFound(store, 350);
  });

  it("SEA-12 never touches the tables of the CJK index, whose names begin alike", async () => {
    build(0, 22);
    using store = open();
    const make = [
      "CREATE TABLE messages_fts_cjk_data (id INTEGER PRIMARY KEY, block BLOB)",
      "CREATE TABLE messages_fts_cjk_config (k PRIMARY KEY, v) WITHOUT ROWID",
      "INSERT INTO messages_fts_cjk_data VALUES (1, x'00')",
    ];
    store.write("test: tables of a peer", (w) => {
      for (const sql of make) w.exec(sql);
    });
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true });
    const kept = store.read((r) =>
      r.tuples("SELECT name FROM sqlite_master WHERE name LIKE 'messages\\_fts\\_cjk%' ESCAPE '\\' ORDER BY 1"),
    );
    expect(kept.flat()).toEqual(["messages_fts_cjk_config", "messages_fts_cjk_data"]);
  });

  it("SEA-12 views and triggers of others that are broken do not stop it", async () => {
    build(0, 22);
    using store = open();
    store.write("test: objects of somebody else", (w) => {
      w.exec("CREATE VIEW broken_view AS SELECT x FROM not_there");
      w.exec("CREATE TABLE of_others (x)");
      w.exec("CREATE TRIGGER broken AFTER INSERT ON of_others BEGIN INSERT INTO not_there VALUES (1); END");
    });
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, layout: 3 });
    expectWholeIndex(store, "after");
  });
});

describe("optimizeStorage", () => {
  let store: StateStore;

  beforeEach(() => {
    store = open();
    store.sessions.create({ id: "s", source: "cli" });
    const messages = Array.from({ length: 700 }, (_, index) => ({ role: "user", content: `item${index} oldword` }));
    store.messages.appendBatch("s", messages);
  });
  afterEach(() => {
    store.close();
  });

  it("SEA-12 heals an index that is empty without markers: the stamp goes, and everything is indexed", async () => {
    store.write("test: lose the index", (w) => {
      for (const table of ["messages_fts", "messages_fts_trigram"]) {
        w.exec(`INSERT INTO ${table}(${table}) VALUES ('delete-all')`);
      }
    });
    expect(isOptimizeAvailable(store)).toBe(true);
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, upgraded: true });
    expectWholeIndex(store, "after");
    expect(searchIds(store, "oldword")).toHaveLength(700);
  });

  it("SEA-12 heals a high water without progress, the rows above it included", async () => {
    store.write("test: lose the progress", (w) => w.run(META, ["fts_rebuild_high_water", "300"]));
    expect(isOptimizeAvailable(store)).toBe(true);
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, upgraded: true });
    expectWholeIndex(store, "after");
    expect(searchIds(store, "oldword")).toHaveLength(700);
  });

  it("SEA-12 P01 replaces an index whose structure record was wiped, which says that it holds nothing", async () => {
    store.write("test: wipe the structure record", (w) =>
      w.editSchema("UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id = 10"),
    );
    expect(isOptimizeAvailable(store)).toBe(true);
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, upgraded: true });
    expectWholeIndex(store, "after");
  });

  it("SEA-12 replaces an index that was detached", async () => {
    store.write("test: detach", detachFts);
    store.messages.append("s", { role: "user", content: "unseen oldword" });
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, upgraded: true });
    expectWholeIndex(store, "after");
    expect(searchIds(store, "unseen")).toHaveLength(1);
  });

  it("SEA-12 does not run where it cannot: reading only, no FTS5, a newer file, a file that others have open", async () => {
    const refused = async (other: StateStore): Promise<StorageReport> => {
      try {
        return await optimizeStorage(other, { ...OPTIONS, force: true });
      } finally {
        other.close();
      }
    };
    expect(await refused(open({ mode: "read" }))).toMatchObject({ ok: false, reason: "read_only" });
    expect(await refused(open({ driver: WITHOUT_FTS5 }))).toMatchObject({ ok: false, reason: "fts5_unavailable" });
    {
      using other = open();
      const report = await optimizeStorage(store, OPTIONS);
      expect(report).toMatchObject({ ok: false, reason: "held", holders: { processes: [] } });
      other.close();
    }
    store.write("test: a newer program", (w) => w.run("UPDATE schema_version SET version = 31"));
    expect(isOptimizeAvailable(store)).toBe(false);
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: false, reason: "newer_schema" });
  });

  it("SEA-12 sizes are pages times their size; a vacuum that fails is no failure, and the next run tries again", async () => {
    store.close();
    let fails = true;
    const driver = hookedDriver({
      running: (sql) => {
        if (sql === "VACUUM" && fails) throw Object.assign(new Error("no room"), { code: "SQLITE_FULL" });
      },
    });
    store = open({ driver });
    store.write("test: free pages", (w) => {
      w.exec("CREATE TABLE ballast AS SELECT zeroblob(400000) AS b");
      w.exec("DROP TABLE ballast");
    });
    const failed = await optimizeStorage(store, OPTIONS);
    expect(failed).toMatchObject({ ok: true, vacuumed: false, vacuumError: { code: "STATE_E_DISK_FULL" } });
    expectWholeIndex(store, "after a vacuum that failed");
    fails = false;
    const report = await optimizeStorage(store, OPTIONS);
    expect(report).toMatchObject({ ok: true, vacuumed: true });
    const size = store.read((r) => r.get<{ n: number }>("SELECT page_size AS n FROM pragma_page_size"))?.n ?? 0;
    expect(report.bytesBefore).toBe(report.pagesBefore * size);
    expect(report.bytesAfter).toBe(report.pagesAfter * size);
    expect(report.bytesAfter).toBeLessThan(report.bytesBefore - 300_000);
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, vacuumed: null });
    expect(await optimizeStorage(store, { ...OPTIONS, vacuum: false })).toMatchObject({ vacuumed: null });
  });

  it("SEA-12 stops between two steps with the reason it was given; nothing is stamped, and the next run goes on", async () => {
    store.write("test: detach", detachFts);
    for (const phase of ["backfill", "teardown"]) {
      const controller = new AbortController();
      const reason = new Error(`enough of ${phase}`);
      const onProgress = (event: { phase: string }): void => {
        if (event.phase === phase) controller.abort(reason);
      };
      await expect(optimizeStorage(store, { ...OPTIONS, onProgress, signal: controller.signal })).rejects.toBe(reason);
      const stamp = store.read((r) => r.all("SELECT value FROM state_meta WHERE key = 'fts_storage_version'"));
      expect(stamp).toEqual([]);
      expect(searchIds(store, "oldword")).toHaveLength(700);
      expect(isOptimizeAvailable(store)).toBe(true);
    }
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true });
    expectWholeIndex(store, "after");
  });

  it("SEA-12 tables put aside that cannot be read lose their names, and keep nothing from being finished", async () => {
    store.write("test: detach", detachFts);
    store.close();
    let damaged = true;
    const driver = hookedDriver({
      running: (sql) => {
        if (damaged && /(DELETE|DROP).*fts_v22_trash_messages_fts_data"/.test(sql)) {
          throw Object.assign(new Error("database disk image is malformed"), { code: "SQLITE_CORRUPT" });
        }
      },
    });
    store = open({ driver });
    store.write("test: put the index aside", (w) => {
      detachFts(w);
      prepareUpgrade(w, CAPABLE);
    });
    expect(await optimizeStorage(store, OPTIONS)).toMatchObject({ ok: true, vacuumed: true });
    damaged = false;
    expectWholeIndex(store, "after");
    expect(searchIds(store, "oldword")).toHaveLength(700);
  });

  it("SEA-12 refuses options it does not have", async () => {
    await expect(optimizeStorage(store, { vaccuum: false } as object)).rejects.toThrow(TypeError);
    await expect(optimizeStorage(store, { pauseMs: -1 })).rejects.toThrow(RangeError);
  });

  it("SEA-12 a teardown that has nothing to remove says so", () => {
    expect(store.write("test: nothing", (w) => stepTeardown(w))).toBe("none");
  });
});

function readState(store: StateStore): ReturnType<typeof readIndexState> {
  return store.read((r) => readIndexState(r, CAPABLE));
}

/** Takes away what a peer has not made yet. */
function dropNewIndex(w: Writer): void {
  for (const half of ["messages_fts", "messages_fts_trigram"]) {
    for (const event of ["insert", "update", "delete"]) w.exec(`DROP TRIGGER ${half}_${event}`);
    w.exec(`DROP TABLE ${half}`);
    w.exec(`DROP VIEW ${half}_src`);
  }
}
