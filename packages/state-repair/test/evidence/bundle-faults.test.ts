import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { spawnNode } from "@hermes/testkit";
import { expect, it } from "vitest";
import type { BundleRefusal } from "../../src/index.js";
import { listBundles } from "../../src/index.js";
import { childScript } from "../children/child-script.js";
import { bundleFolder, holdsSameBytes } from "./bundle-folder.js";

const SIDECARS = ["-wal", "-shm", "-journal"];

function refuseRename(at: number): (from: string, to: string) => void {
  let renames = 0;
  return (from, to) => {
    if (renames++ === at) throw Object.assign(new Error("EIO: i/o error, rename"), { code: "EIO", errno: -5 });
    renameSync(from, to);
  };
}

it.each([0, 1, 2, 3])("REP-02 takes every publication back when rename number %d fails", async (at) => {
  using folder = bundleFolder();
  for (const suffix of SIDECARS) folder.write(suffix, suffix);
  const refusal = (await folder.take({ rename: refuseRename(at) })) as BundleRefusal;
  expect(refusal).toMatchObject({ kind: "refused", reason: "failed", countsAsPass: true });
  expect(refusal.message).toContain("hermes-state recover");
  expect(folder.names()).toEqual([]);
  expect(await folder.taken()).toMatchObject({ kind: "taken", sidecars: ["-wal", "-shm", "-journal"] });
});

it.each(["", "-wal", "-shm", "-journal"])(
  "REP-02 a folder in the place of the destination %j, made at the last moment, fails the bundle and stays",
  async (suffix) => {
    using folder = bundleFolder();
    for (const name of SIDECARS) folder.write(name, name);
    const refusal = await folder.take({
      onProgress: ({ phase }) => {
        if (phase !== "publish") return;
        const staged = readdirSync(folder.dir.path).find(
          (name) => name.includes(".backup-staging-") && !/-(?:wal|shm|journal)$/.test(name),
        );
        const target = folder.dir.file(staged!.replace(".backup-staging-", ".malformed-backup-") + suffix);
        mkdirSync(target);
        writeFileSync(`${target}/keep`, "");
      },
    });
    expect(refusal).toMatchObject({ kind: "refused", reason: "failed" });
    expect(listBundles(folder.path)).toEqual([]);
    expect(folder.names()).toHaveLength(1);
    // The next pass goes round it.
    expect(await folder.taken()).toMatchObject({ kind: "taken" });
  },
);

it("REP-02 a folder with the name of a sidecar is no part of the database", async () => {
  using folder = bundleFolder();
  folder.write("-wal", "log");
  rmSync(`${folder.path}-wal`);
  mkdirSync(`${folder.path}-wal`);
  expect(await folder.taken()).toMatchObject({ sidecars: [] });
});

it("REP-02 sweeps the debris of interrupted backups, old spellings among them, and leaves bundles alone", async () => {
  using folder = bundleFolder();
  const kept = await folder.taken();
  const debris = [
    ".backup-staging-20200101_000000",
    ".backup-staging-20200101_000000-wal",
    ".backup-staging-anything",
    ".malformed-backup-20200101_000000.incomplete",
    ".malformed-backup-20200101_000000.incomplete-wal",
    ".malformed-backup-20200101_000000_1.incomplete.7",
  ];
  for (const name of debris) folder.write(name, "x");
  await folder.taken();
  expect(folder.names()).toEqual([kept.path.slice(folder.path.length)]);
});

it("REP-02 debris is swept before bundles are compared: a staged copy of the same bytes is no bundle", async () => {
  using folder = bundleFolder();
  folder.write(".backup-staging-20200101_000000", Buffer.alloc(12_288, 5));
  const bundle = await folder.taken();
  expect(bundle.kind).toBe("taken");
  expect(folder.names()).toEqual([bundle.path.slice(folder.path.length)]);
});

it("REP-02 sweeps debris also when no bundle can be taken afterwards", async () => {
  using folder = bundleFolder();
  folder.write(".backup-staging-20200101_000000", "x");
  expect(await folder.take({ space: () => ({ freeBytes: 0, totalBytes: 1 }) })).toMatchObject({ reason: "space" });
  expect(folder.names()).toEqual([]);
});

it("REP-02 does not take a sidecar whose main file a person moved away for debris", async () => {
  using folder = bundleFolder();
  folder.write("-wal", "log");
  const { path } = await folder.taken();
  renameSync(path, folder.dir.file("evidence"));
  folder.clock.advance(2000);
  await folder.taken();
  expect(existsSync(`${path}-wal`)).toBe(true);
});

it("REP-02 never hands a left-over sidecar to a new bundle of the same second", async () => {
  using folder = bundleFolder();
  folder.write("-wal", "old log");
  const { path } = await folder.taken();
  rmSync(path);
  rmSync(`${folder.path}-wal`);
  const next = await folder.taken();
  expect(next.path).not.toBe(path);
  expect(holdsSameBytes(folder.path, next.path)).toBe(true);
});

it("REP-02 killed while it copies: the next pass sweeps the part of a copy and yields a whole bundle", async () => {
  using folder = bundleFolder();
  folder.write("", Buffer.alloc(5_000_000, 3));
  await using child = spawnNode(childScript("bundle-and-die.mjs"), [folder.path, "-1"]);
  expect((await child.exit).signal).toBe("SIGKILL");
  expect(folder.names()).toEqual([expect.stringMatching(/^\.backup-staging-/)]);
  const bundle = await folder.taken();
  expect(holdsSameBytes(folder.path, bundle.path)).toBe(true);
  expect(folder.names()).toEqual([bundle.path.slice(folder.path.length)]);
});

it.each([0, 1, 2, 3, 4])("REP-02 killed before rename %d: the next pass yields a real and whole bundle", async (at) => {
  using folder = bundleFolder();
  for (const suffix of SIDECARS) folder.write(suffix, `bytes of ${suffix}`);
  await using child = spawnNode(childScript("bundle-and-die.mjs"), [folder.path, String(at)]);
  const end = await child.exit;
  expect(end.signal, end.stderr).toBe("SIGKILL");
  expect(listBundles(folder.path)).toHaveLength(at === 4 ? 1 : 0);
  expect(folder.names()).toHaveLength(4);
  const bundle = await folder.taken();
  expect(bundle.kind).toBe(at === 4 ? "kept" : "taken");
  expect(bundle.path).toMatch(/\.malformed-backup-\d{8}_\d{6}(?:_\d+)?$/);
  expect(holdsSameBytes(folder.path, bundle.path)).toBe(true);
  expect(folder.names()).toHaveLength(4);
});
