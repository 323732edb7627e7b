import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { openMaintenanceConnection } from "@hermes/state-core";
import { damage, fileMode, runPython, withUmask, describePython } from "@hermes/testkit";
import { expect, it } from "vitest";
import type { BundleRefusal } from "../../src/index.js";
import { listBundles, takeForensicBundle } from "../../src/index.js";
import { bundleFolder, holdsSameBytes, plenty } from "./bundle-folder.js";

const NAME = /\/state\.db\.malformed-backup-\d{8}_\d{6}(?:_\d+)?$/;

it("REP-02 copies the main file and each sidecar that is there, byte by byte, with times, for the owner only", async () => {
  using folder = bundleFolder();
  for (const suffix of ["-wal", "-shm", "-journal"]) folder.write(suffix, `bytes of ${suffix}`);
  for (const suffix of ["", "-wal"]) utimesSync(folder.path + suffix, 1_500_000_000, 1_600_000_000.25);
  const bundle = await withUmask(0o022, () => folder.taken());
  expect(bundle).toMatchObject({ kind: "taken", sidecars: ["-wal", "-shm", "-journal"] });
  expect(bundle.path).toMatch(NAME);
  expect(holdsSameBytes(folder.path, bundle.path)).toBe(true);
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    expect(fileMode(bundle.path + suffix)).toBe(0o600);
    expect(statSync(bundle.path + suffix).mtimeMs).toBeCloseTo(statSync(folder.path + suffix).mtimeMs, 0);
  }
  expect(statSync(bundle.path).mtimeMs).toBe(1_600_000_000_250);
  expect(bundle.bytes).toBe(12_288 + 13 + 13 + 17);
  expect(folder.names()).toHaveLength(4);
});

it("REP-02 copies what a symbolic link names, beside the real file", async () => {
  using folder = bundleFolder();
  mkdirSync(folder.dir.file("link"));
  symlinkSync(folder.path, folder.dir.file("link/alias.db"));
  const bundle = await takeForensicBundle(folder.dir.file("link/alias.db"), { clock: folder.clock, space: plenty });
  expect(bundle).toMatchObject({ kind: "taken" });
  expect((bundle as { path: string }).path).toMatch(NAME);
});

it("REP-02 two passes over the same bytes give the same path, and nothing is written", async () => {
  using folder = bundleFolder();
  folder.write("-wal", "log");
  const first = await folder.taken();
  folder.clock.advance(60_000);
  const before = folder.names();
  const second = await folder.taken({ space: () => ({ freeBytes: 0, totalBytes: 1 }) });
  expect(second).toMatchObject({ kind: "kept", path: first.path, sidecars: ["-wal"] });
  expect(folder.names()).toEqual(before);
});

it("REP-02 a page in the middle is a new state although the fingerprint is the same: no stale bundle", async () => {
  using folder = bundleFolder();
  folder.write("", Buffer.alloc(400_000, 5));
  const first = await folder.taken();
  damage.zero(folder.path, 200_000, 4096);
  folder.clock.advance(1000);
  const second = await folder.taken();
  expect(second.kind).toBe("taken");
  expect(second.path).not.toBe(first.path);
  expect(holdsSameBytes(folder.path, second.path)).toBe(true);
});

it.each([
  ["other bytes in a sidecar", "-wal", "LOG"],
  ["one sidecar more", "-journal", "hot"],
  ["one sidecar less", "-wal", undefined],
])("REP-02 %s is a new state", async (_, suffix, bytes) => {
  using folder = bundleFolder();
  folder.write("-wal", "log");
  await folder.taken();
  if (bytes === undefined) rmSync(folder.path + suffix);
  else folder.write(suffix, bytes);
  expect(await folder.taken()).toMatchObject({ kind: "taken" });
});

it("REP-02 bytes that moved from one part to another are a new state", async () => {
  using folder = bundleFolder();
  folder.write("-wal", "same");
  await folder.taken();
  rmSync(`${folder.path}-wal`);
  folder.write("-shm", "same");
  expect(await folder.taken()).toMatchObject({ kind: "taken", sidecars: ["-shm"] });
});

it("REP-02 names of the same second are distinct, and sort by their number", async () => {
  using folder = bundleFolder();
  const paths: string[] = [];
  for (let state = 0; state < 12; state++) {
    folder.write("", Buffer.alloc(8192, state));
    paths.push((await folder.taken()).path);
  }
  expect(new Set(paths).size).toBe(12);
  expect(paths.at(-1)).toMatch(/_11$/);
  expect(listBundles(folder.path).map((bundle) => bundle.path)).toEqual(paths.slice(-3).reverse());
});

it("REP-02 five distinct states leave the three newest bundles and no sidecar of another", async () => {
  using folder = bundleFolder();
  const paths: string[] = [];
  for (let state = 0; state < 5; state++) {
    folder.write("", Buffer.alloc(8192, state));
    folder.write("-wal", `log ${String(state)}`);
    folder.write("-journal", `journal ${String(state)}`);
    paths.push((await folder.taken()).path);
    folder.clock.advance(1500);
  }
  expect(listBundles(folder.path).map((bundle) => bundle.path)).toEqual(paths.slice(2).reverse());
  expect(folder.names()).toEqual(
    paths.slice(2).flatMap((path) => ["", "-journal", "-wal"].map((suffix) => path.slice(folder.path.length) + suffix)),
  );
});

it("REP-02 keeps the bundle just taken when the clock went back and its name sorts last", async () => {
  using folder = bundleFolder();
  for (let state = 0; state < 3; state++) {
    folder.write("", Buffer.alloc(8192, state));
    await folder.taken();
    folder.clock.advance(1500);
  }
  folder.clock.set(1_600_000_000);
  folder.write("", Buffer.alloc(8192, 77));
  const last = await folder.taken();
  expect(existsSync(last.path)).toBe(true);
  expect(listBundles(folder.path)).toHaveLength(3);
});

it("REP-02 leaves names alone that only look like bundles", async () => {
  using folder = bundleFolder();
  const foreign = ["keep", "20260101_000000.tar", "20260101_000000_x", "2026"].map(
    (name) => `.malformed-backup-${name}`,
  );
  for (const name of foreign) folder.write(name, "mine");
  mkdirSync(`${folder.path}.malformed-backup-20990101_000000`);
  for (let state = 0; state < 5; state++) {
    folder.write("", Buffer.alloc(8192, state));
    await folder.taken();
  }
  expect(folder.names()).toEqual(expect.arrayContaining(foreign));
  expect(listBundles(folder.path)).toHaveLength(3);
});

it("REP-02 refuses while this process has the database open, and takes nothing", async () => {
  using folder = bundleFolder();
  const connection = openMaintenanceConnection(folder.path);
  const refusal = (await folder.take()) as BundleRefusal;
  connection.close();
  expect(refusal).toMatchObject({ kind: "refused", reason: "live", countsAsPass: false });
  expect(folder.names()).toEqual([]);
});

it("REP-02 COR-07 no connection of this process opens while the copy is under way", async () => {
  using folder = bundleFolder();
  const codes: unknown[] = [];
  await folder.taken({
    onProgress: () => {
      try {
        openMaintenanceConnection(folder.path).close();
      } catch (error) {
        codes.push((error as { code?: unknown }).code);
      }
    },
  });
  expect(new Set(codes)).toEqual(new Set(["STATE_E_OFFLINE_IN_USE"]));
});

it("REP-02 says so when there is no such file, and creates nothing", async () => {
  using folder = bundleFolder();
  rmSync(folder.path);
  expect(await folder.take()).toMatchObject({ kind: "refused", reason: "missing", countsAsPass: false });
  expect(folder.names()).toEqual([]);
});

it.each(["", "-wal"])("REP-02 refuses when the part %j is written to while it is copied", async (suffix) => {
  using folder = bundleFolder();
  folder.write("-wal", Buffer.alloc(9000, 1));
  let written = false;
  const refusal = await folder.take({
    onProgress: ({ phase }) => {
      if (phase !== "copy" || written) return;
      written = true;
      folder.write(suffix, Buffer.alloc(suffix === "" ? 12_288 : 9001, 9));
      utimesSync(folder.path + suffix, 1, 2);
    },
  });
  expect(refusal).toMatchObject({ kind: "refused", reason: "changed", countsAsPass: false });
  expect(folder.names()).toEqual([]);
});

it("REP-02 takes a fresh copy when an earlier bundle cannot be read", async () => {
  using folder = bundleFolder();
  const first = await folder.taken();
  folder.clock.advance(1500);
  // It goes away between the look at its size and the look at its bytes.
  const second = await folder.taken({
    onProgress: ({ phase }) => phase === "compare" && rmSync(first.path, { force: true }),
  });
  expect(second.kind).toBe("taken");
  expect(holdsSameBytes(folder.path, second.path)).toBe(true);
});

it("REP-02 a link with the name of a bundle is none", async () => {
  using folder = bundleFolder();
  const first = await folder.taken();
  renameSync(first.path, folder.dir.file("aside"));
  symlinkSync(folder.dir.file("aside"), first.path);
  expect(await folder.taken()).toMatchObject({ kind: "taken" });
});

it("REP-02 stops on an abort, throws its reason, and leaves nothing", async () => {
  using folder = bundleFolder();
  folder.write("", Buffer.alloc(3_000_000, 1));
  const stop = new AbortController();
  const reason = new Error("stopped by hand");
  const pass = folder.take({
    signal: stop.signal,
    onProgress: ({ done }) => {
      if (done > 1e6) stop.abort(reason);
    },
  });
  await expect(pass).rejects.toBe(reason);
  expect(folder.names()).toEqual([]);
});

it("REP-02 reports every byte it compares and copies", async () => {
  using folder = bundleFolder();
  const last = new Map<string, number>();
  const options = { onProgress: ({ phase, done }: { phase: string; done: number }) => void last.set(phase, done) };
  await folder.taken(options);
  await folder.taken(options);
  expect(last.get("copy")).toBe(12_288);
  // The file and the bundle.
  expect(last.get("compare")).toBe(2 * 12_288);
});

it("REP-02 rejects a misspelt option", async () => {
  using folder = bundleFolder();
  await expect(folder.take({ onprogress: 1 } as never)).rejects.toThrow(TypeError);
});

describePython("REP-02 a hot journal", () => {
  it("REP-02 is part of the bundle: with it the copy rolls back, without it rows appear that nobody committed", async () => {
    using folder = bundleFolder();
    rmSync(folder.path);
    runPython(
      `
import os, subprocess, sys
code = """
import os, sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute('PRAGMA journal_mode=DELETE'); c.execute('PRAGMA cache_size=2')
c.execute('CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)')
c.executemany('INSERT INTO t(body) VALUES (?)', [('committed ' + 'x' * 400,)] * 500)
c.execute('BEGIN IMMEDIATE')
c.execute("UPDATE t SET body = 'uncommitted ' || body")
os._exit(0)
"""
subprocess.run([sys.executable, '-c', code, args['path']], check=True)
answer(1)`,
      { path: folder.path },
    );
    expect(statSync(`${folder.path}-journal`).size).toBeGreaterThan(4096);
    const bundle = await folder.taken();
    expect(bundle.sidecars).toContain("-journal");
    const uncommitted = (copy: string): unknown =>
      runPython(
        `
rows = sqlite3.connect(args["copy"]).execute("SELECT count(*) FROM t WHERE body LIKE 'unc%'").fetchone()
answer(rows[0])`,
        { copy },
      );
    const bare = folder.dir.file("bare.db");
    writeFileSync(bare, readFileSync(bundle.path));
    expect(uncommitted(bare)).toBeGreaterThan(0);
    expect(uncommitted(bundle.path)).toBe(0);
  });
});
