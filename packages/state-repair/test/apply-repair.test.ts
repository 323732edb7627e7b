import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { appendFileSync, chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, unlinkSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { searchMessages } from "@hermes/state-search";
import { describePython, fileHash, openPeerDatabase, startPythonPeer, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { applyRepair, checkStore, listBundles, planRepair } from "../src/index.js";
import type { RepairPlan } from "../src/index.js";
import { RECIPES } from "./recipes/all-recipes.js";
import { buildSoundStore, MESSAGES_PER_SESSION, readManifest, SESSIONS } from "./recipes/sound-store.js";
import type { Manifest } from "./recipes/sound-store.js";
import { edit, leavesOf, rootOf, zeroPage } from "./recipes/spoil.js";

const room = (freeBytes: number) => (): { freeBytes: number; totalBytes: number } => ({ freeBytes, totalBytes: 1e9 });
const plenty = room(1e12);

let shelf: TempDir;
let manifest: Manifest;
let folder: TempDir;
let path: string;
beforeAll(() => {
  shelf = tempDir("sound");
  manifest = buildSoundStore(shelf.file("sound.db"));
});
afterAll(() => {
  shelf[Symbol.dispose]();
});
beforeEach(() => {
  folder = tempDir("apply");
  path = folder.file("state.db");
  copyFileSync(shelf.file("sound.db"), path);
});
afterEach(() => {
  folder[Symbol.dispose]();
});

async function spoil(...numbers: readonly string[]): Promise<void> {
  for (const number of numbers) await RECIPES.find((recipe) => recipe.number === number)!.damage(path);
}

const names = (): string[] => readdirSync(folder.path).sort();

describe("a plan", () => {
  it("REP-12 is plain data that is applied after a trip through JSON", async () => {
    await spoil("2a");
    const plan = await planRepair(path, { space: plenty });
    expect(plan).toMatchObject({ outcome: "repair", lost: [], blockedBy: [], guards: { inUse: null, lock: "free" } });
    expect(plan.kept).toMatchObject({ sessions: SESSIONS, messages: SESSIONS * MESSAGES_PER_SESSION });
    expect(plan.strategies).toMatchObject([{ strategy: "recreate_index", compacts: true }]);
    const stored = JSON.parse(JSON.stringify(plan)) as RepairPlan;
    expect(stored).toEqual(plan);
    expect(await applyRepair(stored, { space: plenty })).toMatchObject({ repaired: true, strategy: "recreate_index" });
  });

  it("REP-12 is refused on a file that is another one by now, whatever changed", async () => {
    await spoil("8b");
    const plan = await planRepair(path, { space: plenty });
    edit(path, (database) => database.exec("UPDATE messages SET content = 'changed meanwhile' WHERE id = 300"));
    const before = fileHash(path);
    const report = await applyRepair(plan, { space: plenty });
    expect(report).toMatchObject({ repaired: false, reason: "plan-outdated", backupPath: null });
    expect(fileHash(path)).toBe(before);
  });

  it("REP-12 is refused when the file needs something else than it says", async () => {
    await spoil("8b");
    const plan = await planRepair(path, { space: plenty });
    const other = { ...plan, strategies: [{ strategy: "reindex_btree", changes: [], compacts: false } as const] };
    const before = fileHash(path);
    expect(await applyRepair(other, { space: plenty })).toMatchObject({ repaired: false, reason: "plan-outdated" });
    expect(fileHash(path)).toBe(before);
  });

  it("REP-12 of a store that this process has open is blocked, and cannot be applied", async () => {
    await spoil("8b");
    using store = openStateStore({ path, mode: "read" });
    const plan = await planRepair(path, { space: plenty });
    expect(plan).toMatchObject({ outcome: "blocked", state: "" });
    expect(await applyRepair(plan, { space: plenty })).toMatchObject({ repaired: false, reason: "live" });
    store.close();
    expect(await applyRepair(plan, { space: plenty })).toMatchObject({ repaired: false, reason: "plan-outdated" });
  });

  it("REP-12 names what would be lost: an index of another program whose text is garbage", async () => {
    edit(path, (database) => {
      database.exec("CREATE INDEX theirs ON messages(token_count)");
      database.exec("UPDATE sqlite_master SET sql = 'CREATE TABLE garbage(' WHERE name = 'theirs'");
    });
    const plan = await planRepair(path, { space: plenty });
    expect(plan.outcome).toBe("repair");
    expect(plan.lost).toEqual([expect.stringContaining("theirs")]);
    expect(await applyRepair(plan, { space: plenty })).toMatchObject({ repaired: true });
    expect(readManifest(path)).toEqual(manifest);
  });

  it("REP-12 says nothing about a file that is not there, and refuses unknown options", async () => {
    expect(await planRepair(folder.file("none.db"))).toMatchObject({ outcome: "healthy", kept: null });
    expect(existsSync(folder.file("none.db"))).toBe(false);
    expect(await applyRepair(folder.file("none.db"))).toMatchObject({ repaired: false, reason: "missing" });
    await expect(planRepair(path, { depth: 1 } as never)).rejects.toThrow(TypeError);
    await expect(applyRepair(path, { backups: true } as never)).rejects.toThrow(TypeError);
  });
});

describe("the gates", () => {
  it("REP-06 recipe 14: a read-only file in a read-only folder is left alone, and nothing is put beside it", async () => {
    await spoil("8b");
    const before = [names(), fileHash(path)];
    chmodSync(path, 0o444);
    chmodSync(folder.path, 0o555);
    try {
      // A superuser may write all the same: the modes are taken at their word.
      expect(await applyRepair(path, { space: plenty })).toMatchObject({ repaired: false, reason: "not-writable" });
      expect((await planRepair(path, { space: plenty })).guards.writable).toBe(false);
      expect([names(), fileHash(path)]).toEqual(before);
    } finally {
      chmodSync(folder.path, 0o755);
      chmodSync(path, 0o644);
    }
  });

  it("REP-03 REP-06 recipe 15: without room for the bundle there is no surgery and no trace of one", async () => {
    await spoil("8b");
    const before = fileHash(path);
    const report = await applyRepair(path, { space: room(1e6) });
    expect(report).toMatchObject({ repaired: false, reason: "no-backup", backupPath: null });
    expect(report.error).toContain("recover");
    expect([fileHash(path), listBundles(path)]).toEqual([before, []]);
    expect(names().filter((name) => /scratch|staging/.test(name))).toEqual([]);
  });

  it("REP-03 REP-06 recipe 15: room for the bundle and not for the working copies leaves the file, spending nothing", async () => {
    await spoil("8b");
    const before = fileHash(path);
    const report = await applyRepair(path, { space: room(268_435_456 + 2e6) });
    expect(report).toMatchObject({ repaired: false, reason: "no-space" });
    expect(report.backupPath).toBe(listBundles(path)[0]?.path);
    expect(fileHash(path)).toBe(before);
    expect(existsSync(`${path}.repair-attempts.json`)).toBe(false);
  });

  it("REP-06 keeps no copy when it is told so, and heals all the same", async () => {
    await spoil("6");
    expect(await applyRepair(path, { backup: false, space: plenty })).toMatchObject({
      repaired: true,
      backupPath: null,
    });
    expect(listBundles(path)).toEqual([]);
    expect(readManifest(path)).toEqual(manifest);
  });

  it.each(["copy", "rebuild_fts", "pages"])(
    "REP-06 an abort while at %s leaves the file as it was, and no scratch",
    async (phase) => {
      await spoil("8b");
      const before = fileHash(path);
      const abort = new AbortController();
      const stop = (progress: { phase: string }): void => {
        if (progress.phase === phase) abort.abort(new Error("enough"));
      };
      const repair = applyRepair(path, { space: plenty, signal: abort.signal, onProgress: stop });
      await expect(repair).rejects.toThrow("enough");
      expect(fileHash(path)).toBe(before);
      expect(names().filter((name) => /scratch|staging|attempts/.test(name))).toEqual([]);
      expect(await applyRepair(path, { space: plenty })).toMatchObject({ repaired: true });
    },
  );

  it("REP-04 a failed repair is counted, and a success forgets it", async () => {
    await spoil("5a");
    expect(await applyRepair(path, { space: plenty })).toMatchObject({ repaired: false, reason: "rows-damaged" });
    expect(JSON.parse(readFileSync(`${path}.repair-attempts.json`, "utf8"))).toMatchObject({ failed_attempts: 1 });
    copyFileSync(shelf.file("sound.db"), path);
    await spoil("8b");
    expect(await applyRepair(path, { space: plenty })).toMatchObject({ repaired: true });
    expect(existsSync(`${path}.repair-attempts.json`)).toBe(false);
  });

  describePython("beside Python", () => {
    it("REP-08 recipe 13: a process that holds a log which was deleted is found, and the repair refused", async () => {
      await using peer = await startPythonPeer();
      const database = await openPeerDatabase(peer, path);
      const [session] = await database.sql<{ id: string }>("SELECT id FROM sessions LIMIT 1");
      await database.append(session?.id ?? "", { role: "user", content: "in the log" });
      for (const suffix of ["-wal", "-shm"]) unlinkSync(path + suffix);
      const before = fileHash(path);
      const report = await applyRepair(path, { space: plenty, lockWaitMs: 0 });
      expect(report).toMatchObject({ repaired: false, reason: "live" });
      expect(report.error).toContain("deleted");
      expect(fileHash(path)).toBe(before);
    });
  });
});

describe("promotion", () => {
  it("REP-06 takes the barriers of macOS right before the rows are written and right before the file is compacted", async () => {
    await spoil("2f");
    const seen: { path: string; sql: string }[] = [];
    const note = (event: unknown): void => void seen.push(event as (typeof seen)[number]);
    subscribe("hermes:state:statement", note);
    try {
      expect(await applyRepair(path, { space: plenty, platform: "darwin" })).toMatchObject({ repaired: true });
    } finally {
      unsubscribe("hermes:state:statement", note);
    }
    const live = seen.filter((event) => event.path === path).map(({ sql }) => sql);
    const barriers = ["PRAGMA checkpoint_fullfsync=1", "PRAGMA synchronous=FULL"];
    for (const step of [
      "VACUUM",
      live.filter((sql) => sql === "BEGIN EXCLUSIVE").length > 1 ? "BEGIN EXCLUSIVE" : "",
    ]) {
      const at = live.lastIndexOf(step);
      expect({ step, before: live.slice(at - 2, at) }).toEqual({ step, before: barriers });
    }
  });

  it("REP-06 REP-07 heals damage of several kinds in one file, and every row is kept", async () => {
    await spoil("6", "8b", "2d", "1a");
    const report = await applyRepair(path, { space: plenty });
    expect(report).toMatchObject({ error: null, repaired: true });
    expect(new Set(report.strategies)).toEqual(new Set(["dedup_schema", "rebuild_fts", "reindex_btree"]));
    expect(readManifest(path)).toEqual(manifest);
    expect((await checkStore(path, { level: "full" })).verdict).toBe("healthy");
  });

  it("P01 REP-07 a store whose index lost its segments takes an append, and the repair finds that one too", async () => {
    await spoil("8b");
    using before = openStateStore({ path });
    const id = before.sessions.list({ limit: 1 }).sessions[0]?.id ?? "";
    before.messages.append(id, { role: "user", content: "needle, written to a damaged store" });
    const found = searchMessages(before, "needle", { limit: 1000 }).hits.length;
    before.close();
    const rows = readManifest(path);
    await applyRepair(path, { space: plenty });
    expect(readManifest(path)).toEqual(rows);
    using after = openStateStore({ path });
    const { hits, complete } = searchMessages(after, "needle", { limit: 1000 });
    expect([hits.length, complete]).toEqual([found, true]);
    expect(hits.some(({ snippet }) => snippet.includes("written to a damaged store"))).toBe(true);
  });

  it("P02 REP-06 a damaged page of messages is described, never treated; the file keeps its bytes, and no search index is blamed", async () => {
    await spoil("5a");
    const before = fileHash(path);
    const plan = await planRepair(path, { space: plenty });
    expect(plan).toMatchObject({ outcome: "recover", strategies: [] });
    expect(plan.nextAction).toContain("recover --source");
    const report = await applyRepair(path, { space: plenty });
    expect(report).toMatchObject({ reason: "rows-damaged", changes: [] });
    expect(report.error).not.toMatch(/disk is full|free .*space/i);
    expect(fileHash(path)).toBe(before);
  });

  it("P02 REP-06 a file whose rows are damaged keeps its log too", async () => {
    await spoil("12");
    const page = leavesOf(path, "messages")[3] ?? 0;
    zeroPage(path, page);
    const before = [fileHash(path), fileHash(`${path}-wal`)];
    expect(before[1]).toBeDefined();
    expect(await applyRepair(path, { space: plenty })).toMatchObject({ repaired: false, reason: "rows-damaged" });
    expect([fileHash(path), fileHash(`${path}-wal`)]).toEqual(before);
  });

  it("REP-06 heals a store whose newest rows are in an orphaned log, and keeps them", async () => {
    await spoil("12");
    zeroPage(path, rootOf(path, "idx_sessions_source"));
    expect(await applyRepair(path, { space: plenty })).toMatchObject({ repaired: true, strategy: "recreate_index" });
    const [first = ""] = Object.keys(manifest.sessions);
    expect(readManifest(path).sessions[first]?.messages).toHaveLength(MESSAGES_PER_SESSION + 40);
  });

  it("REP-10 leaves a file alone that is none of ours", async () => {
    appendFileSync(folder.file("note.txt"), "not a database at all".repeat(500));
    const report = await applyRepair(folder.file("note.txt"), { space: plenty });
    expect(report).toMatchObject({ repaired: false, reason: "unreadable" });
    expect(readFileSync(folder.file("note.txt"), "utf8")).toBe("not a database at all".repeat(500));
  });
});
