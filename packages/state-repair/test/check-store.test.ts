import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";
import type { Progress } from "@hermes/state-core";
import { damage, describePython, openPeerDatabase, startPythonPeer, tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { checkConnection, checkStore } from "../src/index.js";
import type { CheckOutcome } from "../src/index.js";
import { buildSoundStore } from "./recipes/sound-store.js";
import { leavesOf, zeroPage } from "./recipes/spoil.js";
import { bundleState } from "./support/bundle-state.js";

const lines = ({ findings }: CheckOutcome): string[] => findings.map(({ severity, code }) => `${severity} ${code}`);

/** A store whose newest rows are in its log, as a killed writer leaves it; with or without the shared memory. */
function strandLog(home: TempHome, shared: boolean): string {
  buildSoundStore(home.file("origin.db"));
  const writer = new Database(home.file("origin.db"));
  writer.pragma("wal_autocheckpoint=0");
  writer.exec("INSERT INTO sessions (id, source, started_at) VALUES ('late', 'cli', 1)");
  mkdirSync(home.file("stranded"));
  const path = home.file("stranded/state.db");
  for (const suffix of shared ? ["", "-wal", "-shm"] : ["", "-wal"]) {
    copyFileSync(home.file("origin.db") + suffix, path + suffix);
  }
  writer.close();
  return path;
}

/** A store with a rollback journal in the middle of a transaction that has reached the file. */
function interrupt(home: TempHome): string {
  buildSoundStore(home.file("origin.db"), { journal: "delete" });
  const writer = new Database(home.file("origin.db"));
  writer.pragma("cache_size=5");
  writer.exec("BEGIN IMMEDIATE; UPDATE messages SET content = content || 'half a transaction'");
  mkdirSync(home.file("hot"));
  const path = home.file("hot/state.db");
  for (const suffix of ["", "-journal"]) copyFileSync(home.file("origin.db") + suffix, path + suffix);
  writer.exec("ROLLBACK");
  writer.close();
  return path;
}

function sound(home: TempHome, journal: "wal" | "delete"): string {
  mkdirSync(home.file("sound"));
  buildSoundStore(home.file("sound/state.db"), { journal });
  return home.file("sound/state.db");
}

const LIVES: readonly (readonly [string, (home: TempHome) => string, readonly string[]])[] = [
  ["closed, with an idle log", (home) => sound(home, "wal"), []],
  ["closed, with a rollback journal", (home) => sound(home, "delete"), []],
  ["left by a killed writer, newest rows in its log", (home) => strandLog(home, true), []],
  ["copied with its log and without shared memory", (home) => strandLog(home, false), []],
  ["left in the middle of a transaction", interrupt, ["note hot-journal"]],
];

describe("a check changes nothing", () => {
  it.each(LIVES)("REP-01 leaves every byte and every name beside a store that was %s", async (_what, make, notes) => {
    using home = tempHome();
    const path = make(home);
    const before = bundleState(path);
    for (const level of ["quick", "full"] as const) {
      const report = await checkStore(path, { level });
      expect([level, report.verdict, lines(report)]).toEqual([level, "healthy", notes]);
      expect(report.checked.join()).toContain("whether a message can be written");
      expect([level, bundleState(path)]).toEqual([level, before]);
    }
  });

  it("REP-01 the comparison of names and bytes sees what a plain reader leaves behind", () => {
    using home = tempHome();
    const path = sound(home, "wal");
    const before = bundleState(path);
    const reader = new Database(path, { readonly: true });
    reader.prepare("SELECT count(*) FROM messages").get();
    reader.close();
    expect(bundleState(path)).not.toEqual(before);
  });

  it("REP-01 looks at a copy where the folder is not for writing, and says that it did not write there", async () => {
    using home = tempHome();
    const path = sound(home, "wal");
    chmodSync(home.file("sound"), 0o555);
    const before = bundleState(path);
    const report = await checkStore(path, { level: "full" });
    expect([report.verdict, lines(report)]).toEqual(["healthy", []]);
    expect(bundleState(path)).toEqual(before);
    chmodSync(home.file("sound"), 0o755);
  });

  it("REP-01 COR-07 checks a store that this process has open, and its handle writes on", async () => {
    using home = tempHome();
    const path = sound(home, "wal");
    using store = openStateStore({ path });
    store.sessions.create({ id: "live", source: "cli" });
    const before = bundleState(path);
    for (const level of ["quick", "full"] as const) {
      expect(await checkStore(path, { level })).toMatchObject({ verdict: "healthy", findings: [] });
    }
    expect(bundleState(path)).toEqual(before);
    store.messages.append("live", { role: "user", content: "after the check" });
  });

  it("REP-01 leaves the log of a damaged store to whoever repairs it: nothing is checkpointed at the end", async () => {
    using home = tempHome();
    const path = strandLog(home, true);
    const writer = new Database(path);
    writer.pragma("wal_autocheckpoint=0");
    writer.unsafeMode(true);
    writer.exec("DELETE FROM messages_fts_data WHERE id > 10");
    mkdirSync(home.file("again"));
    const copy = home.file("again/state.db");
    for (const suffix of ["", "-wal", "-shm"]) copyFileSync(path + suffix, copy + suffix);
    writer.close();
    const before = bundleState(copy);
    expect((await checkStore(copy, { level: "full" })).verdict).toBe("damaged");
    expect(bundleState(copy)).toEqual(before);
  });
});

describe("files that are no store", () => {
  const zeros = (path: string): unknown => damage.replace(path, new Uint8Array(8192));
  it.each<[string, (path: string) => unknown, string, string]>([
    ["missing", () => undefined, "healthy", ""],
    ["empty", (path) => writeFileSync(path, ""), "healthy", "new-store"],
    ["zeroed", zeros, "damaged", "zeroed"],
    ["of another kind", (path) => writeFileSync(path, "# notes\n".repeat(900)), "damaged", "foreign"],
    ["cut to half", (path) => (buildSoundStore(path), damage.cut(path, 0.5)), "damaged", "truncated"],
    ["a header alone", (path) => (buildSoundStore(path), damage.headerOnly(path)), "damaged", "truncated"],
    ["a folder", (path) => mkdirSync(path), "unknown", "not-a-file"],
    ["an empty file beside a log with pages", loseMain, "damaged", "truncated"],
    [
      "a page of zeros before the rest",
      (path) => (buildSoundStore(path), damage.zero(path, 0, 4096)),
      "damaged",
      "zeroed",
    ],
    ["a database of another program", otherProgram, "healthy", "new-store"],
  ])("REP-01 P04 judges a file that is %s, and creates nothing", async (_what, make, verdict, code) => {
    using home = tempHome();
    mkdirSync(home.file("at"));
    const path = home.file("at/state.db");
    make(path);
    const names = readdirSync(home.file("at"));
    for (const level of ["quick", "full"] as const) {
      const report = await checkStore(path, { level });
      expect([report.verdict, report.findings.map((found) => found.code)]).toEqual([
        verdict,
        code === "" ? [] : [code],
      ]);
      expect(report.findings.every(({ action }) => action.length > 10)).toBe(true);
      expect(report.exists).toBe(existsSync(path));
      if (verdict === "unknown" || verdict === "damaged") expect(report.notChecked.length).toBeGreaterThan(0);
    }
    expect(readdirSync(home.file("at"))).toEqual(names);
  });

  function loseMain(path: string): void {
    buildSoundStore(path);
    const writer = new Database(path);
    writer.exec("UPDATE sessions SET model = 'in the log only'");
    copyFileSync(`${path}-wal`, `${path}-kept`);
    writer.close();
    copyFileSync(`${path}-kept`, `${path}-wal`);
    writeFileSync(path, "");
  }

  function otherProgram(path: string): void {
    const database = new Database(path);
    database.exec("CREATE TABLE notes (text)");
    database.close();
  }
});

describe("a check and what it is told", () => {
  it("REP-01 reports how far it is, and stops between two steps", async () => {
    using home = tempHome();
    const path = sound(home, "wal");
    const phases = new Set<string>();
    await checkStore(path, { level: "full", onProgress: ({ phase }) => phases.add(phase) });
    expect([...phases]).toEqual(expect.arrayContaining(["schema", "pages", "rows messages", "write"]));
    const controller = new AbortController();
    const before = bundleState(path);
    const stopped = checkStore(path, {
      level: "full",
      signal: controller.signal,
      onProgress: ({ phase }) => {
        if (phase === "rows messages") controller.abort(new Error("enough"));
      },
    });
    await expect(stopped).rejects.toThrow("enough");
    expect(bundleState(path)).toEqual(before);
  });

  it("REP-01 goes through a large file table by table, with the same answer", () => {
    using home = tempHome();
    const path = sound(home, "delete");
    const ask = (): CheckOutcome => {
      using r = openMaintenanceConnection(path, { readonly: true });
      const totals = new Set<number | undefined>();
      const onProgress = ({ phase, total }: Progress): unknown => phase === "pages" && totals.add(total);
      const outcome = checkConnection(r, { level: "full", atOnceBytes: 0, onProgress });
      expect(Math.max(...[...totals].map(Number))).toBeGreaterThan(10);
      return outcome;
    };
    expect(ask()).toMatchObject({ verdict: "healthy", findings: [] });
    const [, leaf = 0] = leavesOf(path, "messages");
    zeroPage(path, leaf);
    const found = ask().findings.map(({ code, object }) => `${code} ${object}`);
    expect(found).toEqual(expect.arrayContaining(["pages messages", "unreadable-rows messages"]));
  });

  it("REP-01 refuses unknown options and levels", async () => {
    using home = tempHome();
    await expect(checkStore(home.statePath, { levle: "full" } as never)).rejects.toThrow(TypeError);
    await expect(checkStore(home.statePath, { level: "deep" } as never)).rejects.toThrow(RangeError);
  });

  it("REP-01 never claims at the quick level what only the full one looks at", async () => {
    using home = tempHome();
    const path = sound(home, "wal");
    const quick = await checkStore(path);
    const full = await checkStore(path, { level: "full" });
    expect(full.notChecked).toEqual([]);
    expect(quick.notChecked.length).toBeGreaterThan(3);
    for (const missing of quick.notChecked) expect(missing).toContain("level full");
    expect(quick.checked.some((what) => full.checked.includes(what) && /every row|every index entry/.test(what))).toBe(
      false,
    );
  });
});

describePython("a check beside a living Python writer", () => {
  it.each(["wal", "delete"] as const)("REP-01 GND-02 neither stops it nor is stopped by it (%s)", async (journal) => {
    using home = tempHome();
    const path = sound(home, journal);
    await using peer = await startPythonPeer();
    const python = await openPeerDatabase(peer, path);
    await python.createSession({ id: "py" });
    const writing = python.appendMany("py", 60, "from python", 5);
    await writing.started;
    const state = { over: false };
    void writing.done.finally(() => (state.over = true));
    let checks = 0;
    while (!state.over && checks < 40) {
      const report = await checkStore(path, { level: checks % 2 === 0 ? "quick" : "full" });
      expect([report.verdict, lines(report)]).toEqual(["healthy", []]);
      checks += 1;
    }
    expect((await writing.done).length).toBe(60);
    expect(checks).toBeGreaterThan(1);
    await python.close();
    const after = await checkStore(path, { level: "full" });
    expect([after.verdict, after.findings]).toEqual(["healthy", []]);
  });

  it("REP-01 cannot tell about a file that another process keeps for itself, and says so in bounded time", async () => {
    using home = tempHome();
    const path = sound(home, "delete");
    await using peer = await startPythonPeer();
    const python = await openPeerDatabase(peer, path);
    await python.sql("BEGIN EXCLUSIVE");
    const report = await checkStore(path);
    expect([report.verdict, report.findings.filter(({ severity }) => severity === "damage")]).toEqual(["unknown", []]);
    expect(report.notChecked.length).toBeGreaterThan(0);
    await python.sql("ROLLBACK");
    expect(await checkStore(path)).toMatchObject({ verdict: "healthy" });
    await python.close();
  });

  it("REP-01 tells that it could not try to write while another process writes for long", async () => {
    using home = tempHome();
    const path = sound(home, "wal");
    await using peer = await startPythonPeer();
    const python = await openPeerDatabase(peer, path);
    const held = python.holdWriteLock(4_000);
    await held.started;
    const report = await checkStore(path);
    expect([report.verdict, lines(report)]).toEqual(["healthy", []]);
    expect(report.notChecked.join()).toContain("whether a message can be written");
    await held.done;
  });
});
