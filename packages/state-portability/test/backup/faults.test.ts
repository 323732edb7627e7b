import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openMaintenanceConnection } from "@hermes/state-core";
import {
  childEnvironment,
  describePython,
  fileHash,
  openPeerDatabase,
  repoRoot,
  spawnChild,
  spawnNode,
  startPythonPeer,
  tempDir,
} from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { backupStore, listBackups, restoreStore, verifyBackup } from "../../src/index.js";
import { child, contents, dieAt, expectSound, fillStore, plenty } from "./support.js";

const SCENARIO = join(repoRoot(), "packages", "state-portability", "test", "children", "backup-scenario.mjs");
const call = (what: "backup" | "restore", source: string, target: string, keep = 2): string =>
  JSON.stringify({ what, source, target, keep });

const withoutLock = (folder: string): string[] => readdirSync(folder).filter((name) => !name.endsWith(".lock"));

describe("rotation", () => {
  it.each(["published", "evicted"] as const)(
    "POR-07 SIGKILL at %s leaves verified backups, and the next one completes the rotation",
    async (stage) => {
      using dir = tempDir("backup");
      const path = dir.file("state.db");
      const folder = dir.file("b");
      fillStore(path, "alpha");
      for (let turn = 0; turn < 3; turn += 1) await backupStore(path, folder, { space: plenty });
      await dieAt(stage, call("backup", path, folder, 1));
      const left = listBackups(folder);
      expect(left.length).toBeGreaterThanOrEqual(1);
      for (const backup of left) expect(await verifyBackup(backup.path)).toMatchObject({ ok: true });
      const made = await backupStore(path, folder, { space: plenty, keep: 1 });
      expect(listBackups(folder).map((backup) => backup.path)).toEqual([made.path]);
      expect(withoutLock(folder)).toHaveLength(2);
    },
  );

  it("POR-07 a backup that fails evicts nothing, with keep: 1 either", async () => {
    using dir = tempDir("backup");
    const path = dir.file("state.db");
    fillStore(path, "alpha", 3000);
    const good = await backupStore(path, dir.file("b"), { space: plenty });
    const abort = new AbortController();
    const onProgress = ({ phase }: { phase: string }): void => {
      if (phase === "hash") abort.abort(new Error("enough"));
    };
    const run = backupStore(path, dir.file("b"), { space: plenty, keep: 1, signal: abort.signal, onProgress });
    await expect(run).rejects.toThrow("enough");
    expect(await verifyBackup(good.path)).toMatchObject({ ok: true });
  });
});

describe("where nothing can be written", () => {
  it("POR-07 a volume that is full in the middle of the copy: a typed error, no half file, the earlier one stays", async () => {
    using dir = tempDir("backup");
    const path = dir.file("state.db");
    fillStore(path, "alpha", 3000);
    const good = await backupStore(path, dir.file("b"), { space: plenty });
    const blocks = Math.floor(statSync(path).size / 1024 / 2);
    const words = `ulimit -f ${String(blocks)}; exec "$0" "$@"`;
    const args = ["-c", words, process.execPath, SCENARIO, call("backup", path, dir.file("b")), "none"];
    await using limited = spawnChild("bash", args, { env: childEnvironment() });
    const { code, stderr } = await limited.exit;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/STATE_E_(DISK_FULL|BACKUP_FAILED)/);
    expect(withoutLock(dir.file("b")).sort()).toEqual(
      [good.path, `${good.path}.json`].map((file) => file.slice(file.lastIndexOf("/") + 1)),
    );
    expect(fileHash(good.path)).toBe(good.record.sha256);
  });

  it("POR-07 a volume that is full in the middle of a restore: the store stays, no half file", async () => {
    using dir = tempDir("restore");
    const path = dir.file("state.db");
    fillStore(dir.file("other.db"), "restored", 3000);
    const backup = await backupStore(dir.file("other.db"), dir.file("b"), { space: plenty });
    fillStore(path, "alpha", 10);
    const before = [fileHash(path), readdirSync(dir.path).sort()];
    const words = `ulimit -f ${String(Math.floor(backup.record.bytes / 1024 / 2))}; exec "$0" "$@"`;
    const args = ["-c", words, process.execPath, SCENARIO, call("restore", backup.path, path), "none"];
    await using limited = spawnChild("bash", args, { env: childEnvironment() });
    const { code, stderr } = await limited.exit;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/STATE_E_(DISK_FULL|BACKUP_FAILED)/);
    expect(fileHash(path)).toBe(before[0]);
    const left = readdirSync(dir.path)
      .filter((name) => !/repair|bundle|forensic|corrupt|backup-/.test(name))
      .sort();
    expect(left).toEqual(before[1]);
    expect(contents(path)).toHaveLength(10);
  });

  it("POR-07 a folder that is a file, or that cannot be made: a typed error that names it", async () => {
    using dir = tempDir("backup");
    const path = dir.file("state.db");
    fillStore(path, "alpha");
    writeFileSync(dir.file("file"), "mine");
    for (const folder of [dir.file("file"), dir.file("file/b"), "/proc/no-such-folder"]) {
      const run = backupStore(path, folder, { space: plenty });
      await expect(run, folder).rejects.toMatchObject({ code: "STATE_E_BACKUP_FAILED" });
    }
    expect(readFileSync(dir.file("file"), "utf8")).toBe("mine");
  });

  it("POR-07 a store that is a folder, no database, or empty is no store", async () => {
    using dir = tempDir("backup");
    mkdirSync(dir.file("folder"));
    writeFileSync(
      dir.file("text.db"),
      "this is no database, and it is longer than a header of one would be. ".repeat(20),
    );
    writeFileSync(dir.file("empty.db"), "");
    for (const name of ["folder", "text.db", "empty.db"]) {
      const run = backupStore(dir.file(name), dir.file("b"), { space: plenty });
      await expect(run, name).rejects.toMatchObject({ code: expect.stringMatching(/^STATE_E_/) as string });
      expect(existsSync(dir.file("b")) ? withoutLock(dir.file("b")) : []).toEqual([]);
    }
  });
});

describe("verification", () => {
  /** Changes one byte behind the first place that holds the bytes. */
  function flipAt(file: string, needle: string): void {
    const bytes = readFileSync(file);
    const at = bytes.indexOf(needle);
    expect(at).toBeGreaterThan(0);
    bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  }

  const SEGMENTS = "SELECT id, block FROM messages_fts_data WHERE id > 10 ORDER BY id";

  /** Changes one letter of a term in a segment of the word index. */
  function flipIndex(file: string): void {
    using connection = openMaintenanceConnection(file, { unsafe: true });
    const rows = connection.all<{ id: number; block: Uint8Array }>(SEGMENTS);
    const row = rows.find(({ block }) => Buffer.from(block).includes("uetzal"));
    const block = Buffer.from(row?.block ?? []);
    const at = block.indexOf("uetzal");
    expect(at).toBeGreaterThan(0);
    block[at] = (block[at] ?? 0) ^ 1;
    connection.run("UPDATE messages_fts_data SET block = ? WHERE id = ?", [block, row?.id ?? 0]);
  }

  it.each([
    [
      "a message",
      (file: string) => {
        flipAt(file, "quetzalcoatlus flies");
      },
    ],
    ["the word index", flipIndex],
  ] as const)("POR-07 finds one changed byte in %s, by its record and without one", async (_where, flip) => {
    using dir = tempDir("backup");
    fillStore(dir.file("state.db"), "quetzalcoatlus flies");
    const { path } = await backupStore(dir.file("state.db"), dir.file("b"), { space: plenty });
    flip(path);
    expect(await verifyBackup(path)).toMatchObject({ ok: false, check: undefined });
    await expect(restoreStore(path, dir.file("there.db"), { space: plenty })).rejects.toMatchObject({
      code: "STATE_E_BACKUP_INVALID",
    });
    expect(existsSync(dir.file("there.db"))).toBe(false);
    rmSync(`${path}.json`);
    expect(await verifyBackup(path)).toMatchObject({ ok: false, record: undefined });
  });
});

it("POR-07 a database of another program is neither backed up, nor verified, nor put in the place of a store", async () => {
  using dir = tempDir("backup");
  const path = dir.file("state.db");
  const other = dir.file("other.db");
  fillStore(path, "alpha");
  {
    writeFileSync(other, "");
    using connection = openMaintenanceConnection(other);
    connection.exec("CREATE TABLE bookmarks (url TEXT)");
  }
  const hash = fileHash(path);
  const found = await verifyBackup(other);
  expect(found).toMatchObject({ ok: false, check: { verdict: "healthy" } });
  await expect(restoreStore(other, path, { space: plenty })).rejects.toMatchObject({ code: "STATE_E_BACKUP_INVALID" });
  await expect(backupStore(other, dir.file("b"), { space: plenty })).rejects.toMatchObject({
    code: "STATE_E_BACKUP_UNSOUND",
  });
  expect([fileHash(path), withoutLock(dir.file("b"))]).toEqual([hash, []]);
  expect(await verifyBackup(dir.path)).toMatchObject({ ok: false, problems: ["it is a folder"] });
  expect(() => listBackups(path)).toThrow(expect.objectContaining({ code: "STATE_E_BACKUP_FAILED" }) as Error);
});

describe("under a test", () => {
  it("COR-12 P30 POR-07 neither restores over the real home's store nor backs it up, unless told so exactly", async () => {
    using dir = tempDir("restore");
    mkdirSync(dir.file(".hermes"));
    const real = dir.file(".hermes/state.db");
    fillStore(dir.file("other.db"), "restored");
    const backup = await backupStore(dir.file("other.db"), dir.file("b"), { space: plenty });
    symlinkSync(real, dir.file("link.db"));
    const run = async (words: string, bypass?: string): Promise<{ code: number | null; stderr: string }> => {
      const env = { HOME: dir.path, HERMES_TEST_ISOLATION: "1", HERMES_STATE_DB_GUARD_BYPASS: bypass };
      await using guarded = spawnNode(SCENARIO, [words, "none"], { env });
      return await guarded.exit;
    };
    for (const target of [real, dir.file("link.db")]) {
      expect((await run(call("restore", backup.path, target))).stderr).toContain("STATE_E_TEST_ISOLATION");
      expect(existsSync(real)).toBe(false);
    }
    expect(await run(call("restore", backup.path, real), "1")).toMatchObject({ code: 0, stderr: "" });
    const hash = fileHash(real);
    for (const bypass of [undefined, "", "0", "true"]) {
      expect((await run(call("restore", backup.path, real), bypass)).stderr).toContain("STATE_E_TEST_ISOLATION");
      expect((await run(call("backup", real, dir.file("b2")), bypass)).stderr).toContain("STATE_E_TEST_ISOLATION");
    }
    expect([fileHash(real), existsSync(dir.file("b2"))]).toEqual([hash, false]);
  });
});

describePython("beside the Python program", () => {
  it("P22 POR-07 refuses to restore while Python has the store open, and backs up while it writes", async () => {
    using dir = tempDir("restore");
    const path = dir.file("state.db");
    fillStore(dir.file("other.db"), "restored", 500);
    const snapshot = await backupStore(dir.file("other.db"), dir.file("b"), { space: plenty });
    fillStore(path, "alpha", 40);
    await using python = await startPythonPeer();
    const database = await openPeerDatabase(python, path, { timeoutSeconds: 5 });
    const writing = database.appendMany("alpha", 200, "from python");
    await writing.started;
    const made = await backupStore(path, dir.file("b2"), { space: plenty });
    await expect(restoreStore(snapshot.path, path, { space: plenty })).rejects.toMatchObject({
      code: "STATE_E_STORE_HELD",
      facts: { processes: [python.pid] },
    });
    expect(await writing.done).toHaveLength(200);
    expect(await database.canWrite()).toBe(true);
    // An idle reader holds the file as well.
    await database.close();
    const reader = await openPeerDatabase(python, path, { readOnly: true });
    await expect(restoreStore(snapshot.path, path, { space: plenty })).rejects.toMatchObject({
      code: "STATE_E_STORE_HELD",
    });
    await reader.close();
    await python.stop();
    expect(contents(path)).toHaveLength(240);
    await expectSound(made.path);
    expect(made.record.counts.messages).toBeGreaterThanOrEqual(40);
    await restoreStore(snapshot.path, path, { space: plenty });
    expect(contents(path)).toHaveLength(500);
  });
});

it("P22 POR-07 sets no stale sidecar beside the restored store, of whatever kind it was", async () => {
  using dir = tempDir("restore");
  const path = dir.file("state.db");
  fillStore(dir.file("other.db"), "restored", 50);
  const { path: file } = await backupStore(dir.file("other.db"), dir.file("b"), { space: plenty });
  fillStore(path, "alpha", 5);
  for (const suffix of ["-wal", "-shm", "-journal"]) writeFileSync(path + suffix, Buffer.alloc(5000, 7));
  const report = await restoreStore(file, path, { space: plenty });
  expect([...report.removedSidecars].sort()).toEqual(["-journal", "-shm", "-wal"]);
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    expect(existsSync(path + suffix), suffix).toBe(false);
    expect(existsSync((report.safetyCopy ?? "") + suffix), `kept ${suffix}`).toBe(
      suffix !== "-shm" || existsSync(`${report.safetyCopy ?? ""}-shm`),
    );
  }
  expect(fileHash(path)).toBe(fileHash(file));
});

it("POR-07 backs up a store in rollback mode while a process writes to it", async () => {
  using dir = tempDir("backup");
  const path = dir.file("state.db");
  await using writer = child("write-and-stay.mjs", path, "write", "delete");
  await writer.waitForLine((line) => line === "ready");
  const { path: file, record } = await backupStore(path, dir.file("b"), { space: plenty });
  writer.kill();
  await writer.exit;
  expect(record.counts.messages).toBeGreaterThanOrEqual(340);
  await expectSound(file);
});
