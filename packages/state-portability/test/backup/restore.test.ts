import { copyFileSync, existsSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";
import { catchUpSideIndex } from "@hermes/state-search";
import { damage, fileHash, fileMode, tempDir, withUmask } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupStore, restoreStore } from "../../src/index.js";
import { child, contents, copyParts, dieAt, expectSound, fillStore, leaveKilled, plenty } from "./support.js";

const SIDECARS = ["-wal", "-shm", "-journal"];
const range = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${String(index)}`);

/** One row, in rollback mode. */
function fillRollback(path: string): void {
  using store = openStateStore({ path, journal: "delete" });
  store.sessions.create({ id: "r", source: "cli" });
  store.messages.append("r", { role: "user", content: "rolled" });
}

/** Another snapshot, of another store. */
async function snapshot(dir: TempDir, name = "other.db", rows = 500): Promise<string> {
  fillStore(dir.file(name), "restored", rows);
  return (await backupStore(dir.file(name), dir.file("b"), { space: plenty })).path;
}

it("P22 POR-07 restores over a store with a stale log: the snapshot, whole and sound, and no sidecar left", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  const file = await snapshot(dir);
  await leaveKilled(path);
  const report = await restoreStore(file, path, { space: plenty });
  expect(report).toMatchObject({ path, replaced: true, sha256: fileHash(file), openedMeanwhile: [] });
  expect(report.removedSidecars).toContain("-wal");
  expect(fileHash(path)).toBe(fileHash(file));
  for (const suffix of SIDECARS) expect(existsSync(path + suffix), suffix).toBe(false);
  await expectSound(path);
  expect(contents(path)).toEqual(range(500, "restored"));
  // What was there can be had back, the rows of its log among it.
  copyParts(report.safetyCopy!, dir.file("back.db"));
  expect(contents(dir.file("back.db"))).toEqual(range(340, "row"));
  expect(readdirSync(dir.path).filter((name) => name.includes("staging"))).toEqual([]);
});

it("P22 POR-07 refuses while another process has the store open, and changes no byte", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  const file = await snapshot(dir);
  await using holder = child("write-and-stay.mjs", path);
  await holder.waitForLine((line) => line === "ready");
  const before = ["", "-wal"].map((suffix) => fileHash(path + suffix));
  await expect(restoreStore(file, path, { space: plenty })).rejects.toMatchObject({
    code: "STATE_E_STORE_HELD",
    facts: { processes: [holder.pid] },
  });
  // Where nobody can list processes, the locks of the engine tell.
  const scan = (): { holders: []; complete: boolean } => ({ holders: [], complete: false });
  await expect(restoreStore(file, path, { space: plenty, scan })).rejects.toMatchObject({ code: "STATE_E_STORE_HELD" });
  expect(["", "-wal"].map((suffix) => fileHash(path + suffix))).toEqual(before);
  holder.send("write");
  expect(await holder.waitForLine((line) => line !== "ready")).toBe("stored");
});

it("P22 POR-07 COR-11 a handle that nobody could see finds its file replaced, and the restored one stays as it is", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  const file = await snapshot(dir);
  // In rollback mode an idle handle holds no lock; hidden from the scan, it is invisible.
  await using holder = child("write-and-stay.mjs", path, "stay", "delete");
  await holder.waitForLine((line) => line === "ready");
  const scan = (): { holders: []; complete: boolean } => ({ holders: [], complete: false });
  await restoreStore(file, path, { space: plenty, scan });
  holder.send("write");
  expect(await holder.waitForLine((line) => line !== "ready")).toBe("STATE_E_REPLACED");
  holder.kill();
  await holder.exit;
  expect(fileHash(path)).toBe(fileHash(file));
  expect(contents(path)).toEqual(range(500, "restored"));
});

it("POR-07 refuses its own open handle, a changed backup, the store itself and a folder", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  const file = await snapshot(dir);
  fillStore(path, "alpha");
  const hash = fileHash(path);
  {
    using store = openStateStore({ path });
    expect(store.path).toBe(path);
    await expect(restoreStore(file, path, { space: plenty })).rejects.toMatchObject({ code: "STATE_E_STORE_HELD" });
  }
  await expect(restoreStore(path, path)).rejects.toMatchObject({ code: "STATE_E_BACKUP_INVALID" });
  await expect(restoreStore(file, dir.path)).rejects.toMatchObject({ code: "STATE_E_RESTORE_TARGET" });
  await expect(restoreStore(file, dir.file("no/such/state.db"))).rejects.toMatchObject({
    code: "STATE_E_RESTORE_TARGET",
  });
  damage.zero(file, 30, 10);
  await expect(restoreStore(file, path)).rejects.toMatchObject({ code: "STATE_E_BACKUP_INVALID" });
  expect(fileHash(path)).toBe(hash);
});

it("POR-07 COR-13 restores where no store is, through a link, and for the owner only", async () => {
  using dir = tempDir("restore");
  const file = await snapshot(dir);
  symlinkSync(dir.file("real.db"), dir.file("link.db"));
  await withUmask(0o022, async () => {
    const report = await restoreStore(file, dir.file("link.db"), { space: plenty });
    expect(report).toMatchObject({ path: dir.file("real.db"), replaced: false, safetyCopy: null });
  });
  expect(fileMode(dir.file("real.db"))).toBe(0o600);
  expect(contents(dir.file("link.db"))).toEqual(range(500, "restored"));
});

it("POR-07 keeps a log whose store is gone, until it is told that nobody wants it", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  const file = await snapshot(dir);
  await leaveKilled(path);
  renameSync(path, dir.file("moved.db"));
  await expect(restoreStore(file, path, { space: plenty })).rejects.toMatchObject({ code: "STATE_E_ORPHANED_LOG" });
  expect(existsSync(`${path}-wal`)).toBe(true);
  const report = await restoreStore(file, path, { space: plenty, keepCurrent: false });
  expect(report.safetyCopy).toBeNull();
  expect(contents(path)).toEqual(range(500, "restored"));
});

it("POR-07 replaces a store that no engine can read, together with its log, and drops the side index", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  const file = await snapshot(dir);
  fillStore(path, "alpha", 3000);
  {
    using store = openStateStore({ path });
    catchUpSideIndex(store);
  }
  const side = readdirSync(dir.path).filter((name) => name.startsWith("state.db.search-side"));
  expect(side.length).toBeGreaterThan(0);
  damage.zero(path, 0, 4096);
  writeFileSync(`${path}-wal`, Buffer.alloc(9000, 7));
  const report = await restoreStore(file, path, { space: plenty });
  expect(report.removedSidecars).toContain("-wal");
  expect(contents(path)).toEqual(range(500, "restored"));
  expect(readdirSync(dir.path).filter((name) => name.startsWith("state.db.search-side"))).toEqual([]);
});

it("POR-07 refuses when the volume is too full for copy and log, and when it is aborted; nothing has changed then", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  const file = await snapshot(dir);
  fillStore(path, "alpha");
  const hash = fileHash(path);
  const full = (): { freeBytes: number; totalBytes: number } => ({ freeBytes: 1000, totalBytes: 2 ** 40 });
  for (const keepCurrent of [true, false]) {
    await expect(restoreStore(file, path, { space: full, keepCurrent })).rejects.toMatchObject({
      code: "STATE_E_DISK_FULL",
    });
  }
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(restoreStore(file, path, { space: plenty, signal })).rejects.toThrow("enough");
  expect(fileHash(path)).toBe(hash);
});

describe("killed between two steps", () => {
  let shelf: TempDir;
  let file: string;
  beforeAll(async () => {
    shelf = tempDir("restore-kill");
    file = await snapshot(shelf);
    await leaveKilled(shelf.file("wal.db"));
    fillStore(shelf.file("plain.db"), "old", 50);
    await using writer = child("hot-journal.mjs", shelf.file("journal.db"));
    await writer.waitForLine((line) => line === "ready");
    writer.kill();
    await writer.exit;
    expect(statSync(shelf.file("journal.db-journal")).size).toBeGreaterThan(4096);
  }, 60_000);
  afterAll(() => {
    shelf[Symbol.dispose]();
  });

  const OLD: Record<string, () => string[]> = {
    wal: () => range(340, "row"),
    plain: () => range(50, "old"),
    journal: () => range(2000, "old").map((text) => `${text} ${"x".repeat(500)}`),
  };
  const AFTER = ["switched", "journal-removed", "replaced", "settled"];
  const cases = [
    ...["locked", "kept", "in:copy", "prepared", "index-dropped", ...AFTER].map((stage) => ({ kind: "wal", stage })),
    ...["prepared", "switched", "settled"].map((stage) => ({ kind: "plain", stage })),
    ...["prepared", ...AFTER].map((stage) => ({ kind: "journal", stage })),
  ];

  it.each(cases)(
    "P22 POR-07 at $stage over a $kind store: the next open sees the one or the other, whole",
    async ({ kind, stage }) => {
      using dir = tempDir("restore-kill");
      const path = dir.file("state.db");
      copyParts(shelf.file(`${kind}.db`), path);
      const call = JSON.stringify({ what: "restore", source: file, target: path });
      await dieAt(stage, call);
      // As any other program sees it, before this stack has touched it.
      const beside = dir.file("seen.db");
      copyParts(path, beside);
      const expected = AFTER.includes(stage) ? range(500, "restored") : OLD[kind]!();
      {
        using connection = openMaintenanceConnection(beside);
        expect(connection.pragma("integrity_check")).toBe("ok");
        expect(connection.tuples("SELECT content FROM messages ORDER BY id").map(([text]) => text)).toEqual(expected);
      }
      expect(contents(path)).toEqual(expected);
      await expectSound(path);
      // And the next restore completes it.
      await restoreStore(file, path, { space: plenty });
      expect(contents(path)).toEqual(range(500, "restored"));
      expect(readdirSync(dir.path).filter((name) => name.includes("staging"))).toEqual([]);
    },
  );

  it.each(["switched", "journal-removed", "replaced"])(
    "P22 POR-07 at %s over a damaged store with a log, and a backup in rollback mode: the restored one, whole",
    async (stage) => {
      using dir = tempDir("restore-kill");
      const path = dir.file("state.db");
      copyParts(shelf.file("wal.db"), path);
      damage.zero(path, 100, statSync(path).size - 100);
      fillRollback(dir.file("rollback.db"));
      const backup = await backupStore(dir.file("rollback.db"), dir.file("b"), { space: plenty });
      await dieAt(stage, JSON.stringify({ what: "restore", source: backup.path, target: path }));
      {
        using connection = openMaintenanceConnection(path);
        expect(connection.pragma("integrity_check")).toBe("ok");
        expect(connection.tuples("SELECT content FROM messages")).toEqual([["rolled"]]);
      }
      await restoreStore(backup.path, path, { space: plenty });
      expect(fileHash(path)).toBe(fileHash(backup.path));
    },
  );

  it("P22 a log of the old store beside the restored file would spoil it: what the steps avoid", () => {
    using dir = tempDir("restore-kill");
    const path = dir.file("state.db");
    copyParts(shelf.file("wal.db"), path);
    copyFileSync(file, path);
    using connection = openMaintenanceConnection(path);
    const seen = ((): unknown => {
      try {
        return connection.tuples("SELECT content FROM messages ORDER BY id").map(([text]) => text);
      } catch (error) {
        return error;
      }
    })();
    expect(seen).not.toEqual(range(500, "restored"));
  });
});
