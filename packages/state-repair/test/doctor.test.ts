import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { searchMessages } from "@hermes/state-search";
import { describePython, fileMode, openPeerDatabase, startPythonPeer, tempHome } from "@hermes/testkit";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { checkStore, doctor } from "../src/index.js";
import type { DoctorReport } from "../src/index.js";
import { buildSoundStore, readManifest } from "./recipes/sound-store.js";
import { edit } from "./recipes/spoil.js";
import { bundleState } from "./support/bundle-state.js";

const lines = ({ lines: all }: DoctorReport): string[] => all.map(({ level, code }) => `${level} ${code}`);
const fixes = ({ fixes: all }: DoctorReport): string[] => all.map(({ outcome, code }) => `${outcome} ${code}`);

const LOSE_SEGMENTS = "DELETE FROM messages_fts_data WHERE id > 10";
const STALE = `INSERT INTO state_meta (key, value) VALUES ('fts_stale', '1');
  DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_delete; DROP TRIGGER messages_fts_update;
  DROP TRIGGER messages_fts_trigram_insert; DROP TRIGGER messages_fts_trigram_delete;
  DROP TRIGGER messages_fts_trigram_update; ${LOSE_SEGMENTS}`;
const PENDING = `
  INSERT INTO messages_fts(messages_fts) VALUES ('delete-all');
  INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES ('delete-all');
  INSERT INTO state_meta (key, value)
  SELECT 'fts_rebuild_high_water', CAST(max(id) AS TEXT) FROM messages UNION ALL SELECT 'fts_rebuild_progress', '-1'`;

describe("the doctor", () => {
  it("REP-11 tells size, rows, holders and search indexes of a sound store, and changes nothing", async () => {
    using home = tempHome();
    mkdirSync(home.file("at"));
    const path = home.file("at/state.db");
    buildSoundStore(path);
    const before = bundleState(path);
    const report = await doctor(path);
    expect([report.verdict, lines(report), report.fixes]).toEqual([
      "healthy",
      ["ok size", "ok rows", "ok search-index", "ok check"],
      [],
    ]);
    expect(report.lines[1]?.text).toMatch(/^50 sessions, 650 messages, journal wal, 0 processes have it open/);
    expect(report.lines[2]?.text).toBe("messages_fts, messages_fts_trigram, layout 3");
    expect(bundleState(path)).toEqual(before);
    expect(fixes(await doctor(path, { fix: true }))).toEqual([]);
    expect(bundleState(path)).toEqual(before);
  });

  it("REP-11 says that there is nothing, and creates nothing, also when it may fix", async () => {
    using home = tempHome();
    const report = await doctor(home.statePath, { fix: true });
    expect([report.exists, report.verdict, lines(report), report.fixes]).toEqual([
      false,
      "healthy",
      ["note missing"],
      [],
    ]);
    expect(readdirSync(home.path)).toEqual([]);
    await expect(doctor(home.statePath, { fxi: true } as never)).rejects.toThrow(TypeError);
  });

  it("REP-11 mentions what has grown large, and empties a large log without waiting for anybody", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    using store = openStateStore({ path: home.statePath });
    const writer = new Database(home.statePath);
    writer.pragma("wal_autocheckpoint=0");
    writer.exec("UPDATE messages SET token_count = 1");
    const limits = { largeStoreBytes: 10_000, logNoteBytes: 10_000, logWarningBytes: 20_000 };
    const report = await doctor(home.statePath, { limits });
    expect(lines(report)).toEqual(expect.arrayContaining(["warning large-store", "warning log"]));
    expect(report.lines.find(({ code }) => code === "log")?.text).toContain("do not delete it");
    expect(report.lines.find(({ code }) => code === "large-store")?.action).toContain("sessions prune");
    const fixed = await doctor(home.statePath, { limits, fix: true });
    expect(fixes(fixed)).toEqual(["done log"]);
    expect(writer.pragma("wal_checkpoint(NOOP)")).toMatchObject([{ busy: 0 }]);
    const [{ log, checkpointed }] = writer.pragma("wal_checkpoint(NOOP)") as [{ log: number; checkpointed: number }];
    expect(checkpointed).toBe(log);
    writer.close();
    store.sessions.create({ id: "goes-on", source: "cli" });
  });

  it("REP-11 COR-13 finds modes that keep the owner out or let others in, and sets them right", async () => {
    using home = tempHome();
    mkdirSync(home.file("at"));
    const path = home.file("at/state.db");
    buildSoundStore(path);
    chmodSync(path, 0o444);
    chmodSync(home.file("at"), 0o500);
    const report = await doctor(path);
    expect(lines(report).filter((line) => /access|modes/.test(line))).toEqual([
      "problem access",
      "problem access",
      "warning modes",
    ]);
    expect(report.lines.find(({ code }) => code === "access")?.action).toContain("chmod u+rwx");
    const fixed = await doctor(path, { fix: true });
    expect(fixes(fixed)).toEqual(["done access", "done access", "done modes"]);
    expect([fileMode(path), fileMode(home.file("at"))]).toEqual([0o600, 0o700]);
  });

  it("P01 REP-01 names the damage of an index that every other check calls clean, and repairs it when it may", async () => {
    using home = tempHome();
    const manifest = buildSoundStore(home.statePath);
    edit(home.statePath, (db) => db.exec(LOSE_SEGMENTS));
    const report = await doctor(home.statePath);
    expect([report.verdict, lines(report)]).toEqual(["damaged", expect.arrayContaining(["problem index"])]);
    expect(report.lines.find(({ level }) => level === "problem")?.action).toContain("hermes-state repair");
    const fixed = await doctor(home.statePath, { fix: true });
    expect([fixed.verdict, fixes(fixed)]).toEqual(["healthy", ["done repair"]]);
    expect(readManifest(home.statePath)).toEqual(manifest);
  });

  it("REP-11 SEA-11 replaces a stale index and fills it", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    edit(home.statePath, (db) => db.exec(STALE));
    expect(lines(await doctor(home.statePath))).toContain("note index-stale");
    const fixed = await doctor(home.statePath, { fix: true });
    expect(fixed.fixes.every(({ outcome }) => outcome === "done")).toBe(true);
    expect(await checkStore(home.statePath, { level: "full" })).toMatchObject({ verdict: "healthy", findings: [] });
  });

  it("REP-11 SEA-08 runs a pending backfill to its end", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    edit(home.statePath, (db) => db.exec(PENDING));
    expect(lines(await doctor(home.statePath))).toContain("note index-pending");
    const phases = new Set<string>();
    const fixed = await doctor(home.statePath, { fix: true, onProgress: ({ phase }) => phases.add(phase) });
    expect(fixes(fixed)).toEqual(["done backfill"]);
    expect(phases.size).toBeGreaterThan(2);
    expect(await checkStore(home.statePath, { level: "full" })).toMatchObject({ verdict: "healthy", findings: [] });
  });
});

describePython("the doctor beside a living Python process", () => {
  it("REP-08 GND-02 refuses to repair while it has the store open, and says who", async () => {
    using home = tempHome();
    mkdirSync(home.file("at"));
    const path = home.file("at/state.db");
    buildSoundStore(path);
    edit(path, (db) => db.exec(LOSE_SEGMENTS));
    await using peer = await startPythonPeer();
    const python = await openPeerDatabase(peer, path);
    await python.sql("SELECT count(*) FROM messages");
    const before = bundleState(path);
    const report = await doctor(path, { fix: true });
    expect([report.verdict, fixes(report)]).toEqual(["damaged", ["refused repair"]]);
    expect(report.fixes[0]?.text).toContain(String(peer.pid));
    const { names: _now, ...bytes } = bundleState(path);
    expect(bytes).toMatchObject(Object.fromEntries(Object.entries(before).filter(([name]) => name !== "names")));
    await python.close();
  });

  it("REP-11 GND-02 runs a backfill beside it, while it writes", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    edit(home.statePath, (db) => db.exec(PENDING));
    await using peer = await startPythonPeer();
    const python = await openPeerDatabase(peer, home.statePath);
    await python.createSession({ id: "py" });
    const writing = python.appendMany("py", 20, "python needle", 5);
    await writing.started;
    expect(fixes(await doctor(home.statePath, { fix: true }))).toEqual(["done backfill"]);
    expect((await writing.done).length).toBe(20);
    await python.close();
    using store = openStateStore({ path: home.statePath });
    expect(searchMessages(store, '"python needle"', { limit: 50 }).hits.length).toBe(20);
  });
});
