import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { damage, fileHash, fileMode, tempDir, testClock, withUmask } from "@hermes/testkit";
import { expect, it } from "vitest";
import { backupStore, listBackups, verifyBackup } from "../../src/index.js";
import type { BackupStage } from "../../src/index.js";
import { child, contents, dieAt, expectSound, fillStore, leaveKilled, plenty } from "./support.js";

const AT = 1_770_000_000;

it("P22 POR-07 backs a store up whose writer was killed: all 340 rows, in one file, and the store stays as it is", async () => {
  using dir = tempDir("backup");
  const path = dir.file("state.db");
  await leaveKilled(path);
  const before = [fileHash(path), fileHash(`${path}-wal`)];
  const { path: file, record } = await backupStore(path, dir.file("b"), { space: plenty, clock: testClock(AT) });
  expect([fileHash(path), fileHash(`${path}-wal`)]).toEqual(before);
  expect(basename(file)).toBe("state-20260202T024000Z.db");
  expect(record).toMatchObject({ source: path, counts: { sessions: 1, messages: 340 }, sha256: fileHash(file) });
  expect(readdirSync(dir.file("b")).filter((name) => !name.endsWith(".lock"))).toEqual([
    basename(file),
    `${basename(file)}.json`,
  ]);
  const copy = dir.file("copy.db");
  writeFileSync(copy, readFileSync(file));
  expect(contents(copy)).toEqual(Array.from({ length: 340 }, (_, index) => `row ${String(index)}`));
});

it("POR-07 COR-13 backups and their records are for their owner only, whatever the umask", async () => {
  using dir = tempDir("backup");
  fillStore(dir.file("state.db"), "alpha");
  await withUmask(0o022, async () => {
    const { path } = await backupStore(dir.file("state.db"), dir.file("b"), { space: plenty });
    expect([path, `${path}.json`].map(fileMode)).toEqual([0o600, 0o600]);
    expect(statSync(dir.file("b")).mode & 0o777).toBe(0o700);
  });
});

it("POR-07 backs up what an open store holds while another process writes: whole as of one moment", async () => {
  using dir = tempDir("backup");
  const path = dir.file("state.db");
  await using writer = child("write-and-stay.mjs", path, "write");
  await writer.waitForLine((line) => line === "ready");
  using store = openStateStore({ path });
  const phases = new Set<string>();
  const { path: file, record } = await backupStore(store, dir.file("b"), {
    space: plenty,
    onProgress: ({ phase }) => phases.add(phase),
  });
  expect(phases).toContain("copy");
  expect(phases).toContain("hash");
  writer.kill();
  await writer.exit;
  expect(record.counts.messages).toBeGreaterThanOrEqual(340);
  expect(store.read((r) => r.get<{ n: number }>("SELECT count(*) AS n FROM messages"))?.n).toBeGreaterThan(0);
  await expectSound(file);
  expect((await verifyBackup(file)).ok).toBe(true);
});

it("POR-07 two backups of one second have names of their own, and the later one is listed first", async () => {
  using dir = tempDir("backup");
  fillStore(dir.file("state.db"), "alpha");
  const options = { space: plenty, clock: testClock(AT) };
  const made = [1, 2].map(() => backupStore(dir.file("state.db"), dir.file("b"), options));
  const paths = (await Promise.all(made)).map(({ path }) => basename(path)).sort();
  expect(paths).toEqual(["state-20260202T024000Z-2.db", "state-20260202T024000Z.db"]);
  expect(listBackups(dir.file("b")).map(({ path }) => basename(path))).toEqual(paths);
});

it("POR-07 rotation keeps the newest, touches no file it did not make, and never the copy it just verified", async () => {
  using dir = tempDir("backup");
  const folder = dir.file("b");
  fillStore(dir.file("state.db"), "alpha");
  const clock = testClock(AT);
  const first = await backupStore(dir.file("state.db"), folder, { space: plenty, clock });
  const strangers = ["state-20200101T000000Z.db", "state-20200101T000000Z.db.json", "notes.db"];
  for (const name of strangers) writeFileSync(join(folder, name), "{}");
  clock.advance(60_000);
  const second = await backupStore(dir.file("state.db"), folder, { space: plenty, clock, keep: 2 });
  expect(second.evicted).toEqual([]);
  // The clock steps back: the new one has the oldest name of all.
  const early = testClock(AT - 86_400);
  const third = await backupStore(dir.file("state.db"), folder, { space: plenty, clock: early, keep: 1 });
  expect(third.evicted).toEqual([second.path, first.path]);
  expect(listBackups(folder).map(({ path }) => path)).toEqual([third.path]);
  for (const name of strangers) expect(existsSync(join(folder, name)), name).toBe(true);
  await expectSound(third.path);
});

it("POR-07 rotation leaves the backups of another store of the same name alone", async () => {
  using dir = tempDir("backup");
  using other = tempDir("backup");
  fillStore(dir.file("state.db"), "alpha");
  fillStore(other.file("state.db"), "beta");
  const theirs = await backupStore(other.file("state.db"), dir.file("b"), { space: plenty });
  for (let turn = 0; turn < 2; turn++)
    await backupStore(dir.file("state.db"), dir.file("b"), { space: plenty, keep: 1 });
  expect(listBackups(dir.file("b"), other.file("state.db")).map(({ path }) => path)).toEqual([theirs.path]);
  expect(listBackups(dir.file("b"), dir.file("state.db"))).toHaveLength(1);
});

it("POR-07 a damaged store gives no backup, and the earlier ones stay", async () => {
  using dir = tempDir("backup");
  const path = dir.file("state.db");
  fillStore(path, "alpha", 3000);
  const good = await backupStore(path, dir.file("b"), { space: plenty });
  const size = statSync(path).size;
  damage.zero(path, Math.floor(size / 2 / 4096) * 4096, 4096);
  await expect(backupStore(path, dir.file("b"), { space: plenty, keep: 1 })).rejects.toMatchObject({
    code: expect.stringMatching(/^STATE_E_(BACKUP_UNSOUND|CORRUPT)$/) as string,
  });
  expect(listBackups(dir.file("b")).map((backup) => backup.path)).toEqual([good.path]);
  expect(readdirSync(dir.file("b")).filter((name) => name.includes("part"))).toEqual([]);
});

it("POR-07 refuses a full volume before it writes, a missing store, and keep: 0", async () => {
  using dir = tempDir("backup");
  fillStore(dir.file("state.db"), "alpha");
  const full = (): { freeBytes: number; totalBytes: number } => ({ freeBytes: 1000, totalBytes: 2 ** 40 });
  await expect(backupStore(dir.file("state.db"), dir.file("b"), { space: full })).rejects.toMatchObject({
    code: "STATE_E_DISK_FULL",
  });
  expect(readdirSync(dir.file("b")).filter((name) => !name.endsWith(".lock"))).toEqual([]);
  await expect(backupStore(dir.file("none.db"), dir.file("b"))).rejects.toMatchObject({
    code: "STATE_E_STORE_MISSING",
  });
  await expect(backupStore(dir.file("state.db"), dir.file("b"), { keep: 0 })).rejects.toThrow(RangeError);
});

it("POR-07 an aborted backup leaves nothing and throws the signal's reason", async () => {
  using dir = tempDir("backup");
  fillStore(dir.file("state.db"), "alpha");
  const abort = new AbortController();
  const onProgress = ({ phase }: { phase: string }): void => {
    if (phase === "hash") abort.abort(new Error("enough"));
  };
  const options = { space: plenty, signal: abort.signal, onProgress };
  await expect(backupStore(dir.file("state.db"), dir.file("b"), options)).rejects.toThrow("enough");
  expect(readdirSync(dir.file("b")).filter((name) => !name.endsWith(".lock"))).toEqual([]);
});

it("POR-07 verification finds a changed byte, a cut, a log beside the file and a record of another file", async () => {
  using dir = tempDir("backup");
  fillStore(dir.file("state.db"), "alpha");
  const { path } = await backupStore(dir.file("state.db"), dir.file("b"), { space: plenty });
  expect(await verifyBackup(path)).toMatchObject({
    ok: true,
    problems: [],
    check: { level: "full", verdict: "healthy" },
  });
  writeFileSync(`${path}-wal`, "someone's");
  expect((await verifyBackup(path)).problems[0]).toContain("-wal");
  rmSync(`${path}-wal`);
  const bytes = readFileSync(path);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  expect(await verifyBackup(path)).toMatchObject({ ok: false, check: undefined });
  appendFileSync(path, "x");
  expect((await verifyBackup(path)).ok).toBe(false);
  expect(listBackups(dir.file("b"))[0]).toMatchObject({ intact: false });
  expect(await verifyBackup(dir.file("none.db"))).toMatchObject({ ok: false });
});

const STAGES: readonly (BackupStage | `in:${string}`)[] = [
  "staged",
  "in:copy",
  "copied",
  "verified",
  "in:hash",
  "recorded",
];
it.each(STAGES)(
  "POR-07 SIGKILL at %s leaves no file that counts, and the next backup clears it away",
  async (stage) => {
    using dir = tempDir("backup");
    const path = dir.file("state.db");
    fillStore(path, "alpha");
    await dieAt(stage, JSON.stringify({ what: "backup", source: path, target: dir.file("b") }));
    expect(listBackups(dir.file("b"))).toEqual([]);
    expect(readdirSync(dir.file("b")).some((name) => /^state-.*\.db$/.test(name))).toBe(false);
    const made = await backupStore(path, dir.file("b"), { space: plenty });
    expect(readdirSync(dir.file("b")).sort()).toEqual(
      [".state.backup.lock", basename(made.path), `${basename(made.path)}.json`].sort(),
    );
  },
);

it("POR-07 SIGKILL after it got its name leaves a backup that verifies", async () => {
  using dir = tempDir("backup");
  fillStore(dir.file("state.db"), "alpha");
  const call = JSON.stringify({ what: "backup", source: dir.file("state.db"), target: dir.file("b") });
  await dieAt("published", call);
  const [only] = listBackups(dir.file("b"));
  expect(only && (await verifyBackup(only.path)).ok).toBe(true);
});
