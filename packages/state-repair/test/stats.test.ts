import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { describePython, openPeerDatabase, startPythonPeer, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { collectStats, verifyOnStart } from "../src/index.js";
import { buildSoundStore, MESSAGES_PER_SESSION, SESSIONS } from "./recipes/sound-store.js";
import { edit, leavesOf, rootOf, zeroPage } from "./recipes/spoil.js";
import { bundleState } from "./support/bundle-state.js";

describe("facts about a store", () => {
  it.each(["wal", "delete"] as const)("REP-11 collects them without changing anything (%s)", async (journal) => {
    using home = tempHome();
    mkdirSync(home.file("at"));
    const path = home.file("at/state.db");
    buildSoundStore(path, { journal });
    const before = bundleState(path);
    const stats = await collectStats(path);
    expect(stats).toMatchObject({
      exists: true,
      pageSize: 4096,
      walSizeBytes: 0,
      journalMode: journal,
      sessions: SESSIONS,
      messages: SESSIONS * MESSAGES_PER_SESSION,
      schemaVersion: 30,
      ftsTables: { messages_fts: true, messages_fts_trigram: true, messages_fts_cjk: false },
      ftsStorageVersion: 3,
      ftsRebuildPending: false,
      ftsRebuildHighWater: null,
      ftsRebuildProgress: null,
    });
    expect(stats.logicalSizeBytes).toBe(statSync(path).size);
    expect(stats.freelistCount).toBeGreaterThanOrEqual(0);
    expect(bundleState(path)).toEqual(before);
  });

  it("REP-11 knows nothing of a file that is not there, and does not create it", async () => {
    using home = tempHome();
    const { path, exists, ...facts } = await collectStats(home.file("no/state.db"));
    expect([path, exists]).toEqual([home.file("no/state.db"), false]);
    expect(Object.values(facts).every((fact) => fact === null)).toBe(true);
    expect(readdirSync(home.path)).toEqual([]);
  });

  it("REP-11 fails on nothing: what cannot be read is null and the rest stands", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    zeroPage(home.statePath, rootOf(home.statePath, "sessions"));
    for (const page of leavesOf(home.statePath, "state_meta")) zeroPage(home.statePath, page);
    const stats = await collectStats(home.statePath);
    expect(stats).toMatchObject({ pageSize: 4096, journalMode: "wal", ftsStorageVersion: null });
    expect(stats.ftsTables?.messages_fts).toBe(true);
    edit(home.statePath, (db) =>
      db.exec("UPDATE sqlite_master SET sql = 'CREATE TABLE garbage(' WHERE name = 'messages'"),
    );
    expect(await collectStats(home.statePath)).toMatchObject({ exists: true, messages: null, walSizeBytes: 0 });
    writeFileSync(home.file("notes.txt"), "not a database");
    expect(await collectStats(home.file("notes.txt"))).toMatchObject({ exists: true, pageCount: null });
    expect(await collectStats(home.path)).toMatchObject({ exists: true, pageCount: null });
  });

  it("REP-11 tells a pending backfill from a finished one", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    const mark = (progress: number): void =>
      edit(home.statePath, (db) =>
        db.exec(`INSERT OR REPLACE INTO state_meta (key, value)
          VALUES ('fts_rebuild_high_water', '40'), ('fts_rebuild_progress', '${String(progress)}')`),
      );
    mark(20);
    expect(await collectStats(home.statePath)).toMatchObject({
      ftsRebuildPending: true,
      ftsRebuildHighWater: 40,
      ftsRebuildProgress: 20,
    });
    mark(40);
    expect((await collectStats(home.statePath)).ftsRebuildPending).toBe(false);
  });

  it("REP-11 counts this process among the holders while it has the store open", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    expect((await collectStats(home.statePath)).holdersCount).toBe(process.platform === "linux" ? 0 : null);
    using store = openStateStore({ path: home.statePath });
    expect(store.path).toBe(home.statePath);
    expect((await collectStats(home.statePath)).holdersCount).toBe(process.platform === "linux" ? 1 : null);
  });

  describePython("beside another process", () => {
    it.runIf(process.platform === "linux")("REP-11 counts it", async () => {
      using home = tempHome();
      buildSoundStore(home.statePath);
      await using peer = await startPythonPeer();
      const python = await openPeerDatabase(peer, home.statePath);
      await python.sql("SELECT count(*) FROM messages");
      expect((await collectStats(home.statePath)).holdersCount).toBe(1);
      await python.close();
    });
  });
});

describe("verification that nobody asked for", () => {
  it("REP-01 looks quickly at a small file, and at a large one in constant time", async () => {
    using home = tempHome();
    buildSoundStore(home.statePath);
    expect(await verifyOnStart(home.statePath)).toMatchObject({ level: "quick", verdict: "healthy" });
    const phases = new Set<string>();
    const onProgress = ({ phase }: { phase: string }): unknown => phases.add(phase);
    const glance = await verifyOnStart(home.statePath, { quickLimitBytes: 10_000, onProgress });
    expect([glance.level, glance.verdict, glance.findings]).toEqual(["glance", "healthy", []]);
    expect(glance.notChecked.join()).toContain("pages");
    expect([...phases].filter((phase) => phase === "pages" || phase.startsWith("index"))).toEqual([]);
    zeroPage(home.statePath, rootOf(home.statePath, "messages"));
    expect(await verifyOnStart(home.statePath, { quickLimitBytes: 10_000 })).toMatchObject({ verdict: "damaged" });
  });

  it("REP-01 finds a missing file healthy and refuses unknown options", async () => {
    using home = tempHome();
    expect(await verifyOnStart(home.statePath)).toMatchObject({ exists: false, verdict: "healthy" });
    await expect(verifyOnStart(home.statePath, { limit: 1 } as never)).rejects.toThrow(TypeError);
  });
});
