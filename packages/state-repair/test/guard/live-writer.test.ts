import { existsSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { openStateStore, systemClock } from "@hermes/state-core";
import type { HolderScan } from "@hermes/state-core";
import {
  damage,
  describePython,
  fileHash,
  openPeerDatabase,
  runPython,
  startPythonPeer,
  tempHome,
} from "@hermes/testkit";
import { expect, it } from "vitest";
import type { ForensicBundle } from "../../src/index.js";
import { findLiveWriter, liveWriterRefusal, openExclusiveGuard, takeForensicBundle } from "../../src/index.js";
import { plenty } from "../evidence/bundle-folder.js";

const nobody = (): HolderScan => ({ holders: [], complete: true });

/** Hashes of the database and what belongs to its state; `-shm` is derived from the log. */
const state = (path: string): unknown => ["", "-wal", "-journal"].map((suffix) => fileHash(path + suffix));

function newStore(path: string, journal: "wal" | "delete"): void {
  using store = openStateStore({ path, journal });
  store.sessions.create({ id: "s", source: "cli" });
}

async function taken(path: string): Promise<ForensicBundle> {
  const bundle = await takeForensicBundle(path, { clock: systemClock, space: plenty });
  if (bundle.kind === "refused") throw new Error(bundle.message);
  return bundle;
}

/** A child that works on the database and dies without closing it. */
function crash(path: string, statements: readonly string[]): void {
  runPython(
    `
import os, subprocess
code = "import sqlite3, sys, json, os\\n" \\
  "c = sqlite3.connect(sys.argv[1], isolation_level=None)\\n" \\
  "for s in json.loads(sys.argv[2]): c.execute(s)\\n" \\
  "os._exit(0)"
subprocess.run([sys.executable, "-c", code, args["path"], json.dumps(args["statements"])], check=True)
answer(1)`,
    { path, statements },
  );
}

it("REP-08 a connection of this process is a live writer too", () => {
  using home = tempHome();
  using store = openStateStore({ path: home.statePath });
  expect(findLiveWriter(home.statePath)).toEqual({ via: "own", holders: [] });
  const refusal = liveWriterRefusal(home.statePath, "repair", findLiveWriter(home.statePath)!);
  expect(refusal.code).toBe("STATE_E_STORE_HELD");
  store.close();
  expect(findLiveWriter(home.statePath)).toBeUndefined();
});

it("REP-08 fails closed when the scan for holders fails or does not know", () => {
  using home = tempHome();
  newStore(home.statePath, "wal");
  const unknown: HolderScan = { holders: [{ pid: -1, files: [], command: "EACCES" }], complete: false };
  const writer = findLiveWriter(home.statePath, { scan: () => unknown });
  expect(writer).toMatchObject({ via: "unknown" });
  expect(liveWriterRefusal(home.statePath, "repair", writer!).message).toContain("may have it open");
  const broken = (): HolderScan => {
    throw new Error("no process table");
  };
  expect(() => findLiveWriter(home.statePath, { scan: broken })).toThrow("no process table");
});

it("REP-08 fails open when the lock probe fails for anything but a lock: damage must not strand its own repair", () => {
  using home = tempHome();
  writeFileSync(home.statePath, "not a database at all, and long enough to be read as one".repeat(20));
  expect(findLiveWriter(home.statePath)).toBeUndefined();
  newStore(home.file("store.db"), "wal");
  damage.zero(home.file("store.db"), 100, 3000);
  expect(findLiveWriter(home.file("store.db"))).toBeUndefined();
  expect(findLiveWriter(home.file("missing.db"))).toBeUndefined();
  expect(existsSync(home.file("missing.db"))).toBe(false);
});

describePython("live writers of another program", () => {
  it.each(["wal", "delete"] as const)(
    "REP-08 finds a Python process with the file open in %s mode",
    async (journal) => {
      using home = tempHome();
      newStore(home.statePath, journal);
      await using peer = await startPythonPeer();
      const db = await openPeerDatabase(peer, home.statePath);
      await db.sql("SELECT count(*) FROM sessions");
      const before = state(home.statePath);
      const writer = findLiveWriter(home.statePath);
      expect(writer).toMatchObject({ via: "holders", holders: [{ pid: peer.pid }] });
      const { message, facts } = liveWriterRefusal(home.statePath, "repair", writer!);
      for (const part of [String(peer.pid), "python", home.statePath, "Stop the gateway"])
        expect(message).toContain(part);
      expect(facts).toMatchObject({ processes: [peer.pid] });
      expect(state(home.statePath)).toEqual(before);
      await db.close();
      expect(findLiveWriter(home.statePath)).toBeUndefined();
    },
  );

  it("REP-08 finds the holder of a log that was deleted, and of a store behind a link", async () => {
    using home = tempHome();
    newStore(home.statePath, "wal");
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, home.statePath);
    await db.sql("SELECT count(*) FROM sessions");
    for (const suffix of ["-wal", "-shm"]) rmSync(home.statePath + suffix);
    symlinkSync(home.statePath, home.file("alias.db"));
    const found = findLiveWriter(home.file("alias.db"));
    expect(found?.holders[0]?.files.some((file) => file.endsWith("-wal (deleted)"))).toBe(true);
  });

  // What the locks alone tell: the scan is the authority, the probe adds a signal.
  it.each([
    ["wal", "an idle connection that has read", ["SELECT count(*) FROM sessions"], true, true],
    ["delete", "an idle connection that has read", ["SELECT count(*) FROM sessions"], false, false],
    ["delete", "a write transaction", ["BEGIN IMMEDIATE"], true, true],
    ["delete", "a read transaction", ["BEGIN", "SELECT count(*) FROM sessions"], false, true],
    ["wal", "a write transaction", ["BEGIN IMMEDIATE"], true, true],
  ] as const)("REP-08 locks alone: %s mode, %s", async (journal, _, statements, probed, guarded) => {
    using home = tempHome();
    newStore(home.statePath, journal);
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, home.statePath);
    for (const sql of statements) await db.sql(sql);
    expect(findLiveWriter(home.statePath, { scan: nobody })?.via).toBe(probed ? "lock" : undefined);
    const open = (): void => openExclusiveGuard(home.statePath).close();
    if (guarded) expect(open).toThrow(expect.objectContaining({ code: "STATE_E_STORE_HELD" }));
    else expect(open).not.toThrow();
  });

  it("REP-08 the search leaves a log that a dead process left as it is, time and again", () => {
    using home = tempHome();
    newStore(home.statePath, "wal");
    crash(home.statePath, ["PRAGMA wal_autocheckpoint=0", "INSERT INTO state_meta VALUES ('in', 'the log')"]);
    const before = state(home.statePath);
    expect(statSync(`${home.statePath}-wal`).size).toBeGreaterThan(0);
    for (let round = 0; round < 3; round++) expect(findLiveWriter(home.statePath)).toBeUndefined();
    expect(state(home.statePath)).toEqual(before);
    rmSync(`${home.statePath}-shm`);
    expect(findLiveWriter(home.statePath)).toBeUndefined();
    expect(state(home.statePath)).toEqual(before);
    using store = openStateStore({ path: home.statePath });
    expect(store.meta.get("in")).toBe("the log");
  });

  it("REP-08 the search does not roll a hot journal back, nor drop the log of an empty file", () => {
    using home = tempHome();
    newStore(home.statePath, "delete");
    crash(home.statePath, [
      "PRAGMA cache_size=1",
      "BEGIN IMMEDIATE",
      "UPDATE sessions SET title = hex(zeroblob(50000))",
    ]);
    expect(statSync(`${home.statePath}-journal`).size).toBeGreaterThan(0);
    const before = state(home.statePath);
    expect(findLiveWriter(home.statePath)).toBeUndefined();
    expect(state(home.statePath)).toEqual(before);
    const empty = home.file("empty.db");
    writeFileSync(empty, "");
    writeFileSync(`${empty}-wal`, "pages of a file that was cut");
    expect(findLiveWriter(empty)).toBeUndefined();
    expect(existsSync(`${empty}-wal`)).toBe(true);
  });

  it("REP-08 the guard keeps Python out from snapshot to promotion, and lets it in again", async () => {
    using home = tempHome();
    newStore(home.statePath, "wal");
    const guard = openExclusiveGuard(home.statePath);
    await using peer = await startPythonPeer();
    const open = openPeerDatabase(peer, home.statePath, { timeoutSeconds: 0.1 }).then((db) =>
      db.sql("SELECT count(*) FROM sessions"),
    );
    await expect(open).rejects.toThrow(/locked/);
    guard.close();
    const db = await openPeerDatabase(peer, home.statePath);
    expect(await db.canWrite()).toBe(true);
  });

  it.each(["wal", "delete"] as const)(
    "REP-08 REP-02 the guard refuses in %s mode when somebody wrote after the bundle was taken",
    async (journal) => {
      using home = tempHome();
      newStore(home.statePath, journal);
      const bundle = await taken(home.statePath);
      openExclusiveGuard(home.statePath, { bundle }).close();
      await using peer = await startPythonPeer();
      const db = await openPeerDatabase(peer, home.statePath);
      await db.sql("INSERT INTO state_meta VALUES ('late', 'row')");
      await db.close();
      let refusal: unknown;
      try {
        openExclusiveGuard(home.statePath, { bundle }).close();
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toMatchObject({ code: "STATE_E_STORE_HELD", facts: { via: "written" } });
      openExclusiveGuard(home.statePath, { bundle: await taken(home.statePath) }).close();
    },
  );

  it.each([
    [
      "a log that a dead process left",
      "wal",
      ["PRAGMA wal_autocheckpoint=0", "INSERT INTO state_meta VALUES ('a', 'b')"],
    ],
    [
      "a hot journal",
      "delete",
      ["PRAGMA cache_size=1", "BEGIN IMMEDIATE", "UPDATE sessions SET title = hex(zeroblob(50000))"],
    ],
  ] as const)("REP-08 the guard takes %s as part of what was bundled", async (_, journal, statements) => {
    using home = tempHome();
    newStore(home.statePath, journal);
    crash(home.statePath, statements);
    expect(findLiveWriter(home.statePath)).toBeUndefined();
    const bundle = await taken(home.statePath);
    openExclusiveGuard(home.statePath, { bundle }).close();
  });

  it("REP-08 the guard locks a file whose schema does not parse", async () => {
    using home = tempHome();
    newStore(home.statePath, "delete");
    crash(home.statePath, [
      "PRAGMA writable_schema=ON",
      "INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'sessions'",
    ]);
    using guard = openExclusiveGuard(home.statePath);
    expect(() => guard.get("SELECT count(*) AS n FROM sessions")).toThrow(/malformed database schema/);
    await using peer = await startPythonPeer();
    const write = openPeerDatabase(peer, home.statePath, { timeoutSeconds: 0.1 }).then((db) =>
      db.sql("BEGIN IMMEDIATE"),
    );
    await expect(write).rejects.toThrow(/locked/);
  });
});
