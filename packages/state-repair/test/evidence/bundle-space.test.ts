import { closeSync, ftruncateSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import type { BundleRefusal, SpaceProbe } from "../../src/index.js";
import { takeForensicBundle } from "../../src/index.js";
import { bundleFolder, holdsSameBytes, plenty } from "./bundle-folder.js";
import { smallVolume } from "./small-volume.js";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const clock = testClock();

it("REP-03 counts the sidecars: what fits without them is refused with them, and nothing is written", async () => {
  using folder = bundleFolder();
  const exact: SpaceProbe = () => ({ freeBytes: 256 * MIB + 12_288 + 100, totalBytes: GIB });
  folder.write("-wal", Buffer.alloc(101));
  const refusal = (await folder.take({ space: exact })) as BundleRefusal;
  expect(refusal).toMatchObject({
    kind: "refused",
    reason: "space",
    countsAsPass: true,
    freeBytes: 256 * MIB + 12_388,
    neededBytes: 12_389,
    headroomBytes: 256 * MIB,
  });
  expect(folder.names()).toEqual([]);
  folder.write("-wal", Buffer.alloc(100));
  expect(await folder.take({ space: exact })).toMatchObject({ kind: "taken" });
});

it("REP-03 refuses when the room on the volume cannot be found out", async () => {
  using folder = bundleFolder();
  const refusal = await folder.take({
    space: () => {
      throw new Error("statvfs: i/o error");
    },
  });
  expect(refusal).toMatchObject({ kind: "refused", reason: "space", countsAsPass: true, freeBytes: undefined });
  expect(folder.names()).toEqual([]);
});

it("REP-03 refuses on a volume of 64 MiB, whatever the size of the file", async () => {
  using volume = smallVolume();
  using folder = volume ? undefined : bundleFolder();
  const path = volume?.file("state.db") ?? folder!.path;
  writeFileSync(path, Buffer.alloc(8192, 1));
  const space = volume ? {} : { space: () => ({ freeBytes: 63 * MIB, totalBytes: 64 * MIB }) };
  const refusal = (await takeForensicBundle(path, { clock, ...space })) as BundleRefusal;
  expect(refusal).toMatchObject({ reason: "space", headroomBytes: 256 * MIB });
  expect(refusal.freeBytes).toBeLessThan(64 * MIB);
  expect(readdirSync(dirname(path))).toEqual(["state.db"]);
});

it("REP-03 REP-02 a volume that fills up while it copies leaves no part of a bundle", async (test) => {
  using volume = smallVolume();
  if (!volume) return test.skip("this user may not mount a small volume");
  const path = volume.file("state.db");
  writeFileSync(path, Buffer.alloc(30 * MIB, 1));
  writeFileSync(`${path}-wal`, Buffer.alloc(10 * MIB, 2));
  const refusal = (await takeForensicBundle(path, { clock, space: plenty })) as BundleRefusal;
  expect(refusal).toMatchObject({ kind: "refused", reason: "failed", countsAsPass: true });
  expect((refusal.cause as NodeJS.ErrnoException).code).toBe("ENOSPC");
  expect(readdirSync(dirname(path)).sort()).toEqual(["state.db", "state.db-wal"]);
});

/** A file of `size` bytes that holds 64 KiB at its start, in its middle and at its end, and holes between. */
function sparse(path: string, size: number): void {
  const file = openSync(path, "w");
  ftruncateSync(file, size);
  const piece = Buffer.alloc(65_536, 0xa5);
  for (const at of [0, Math.floor(size / 2 / 4096) * 4096, size - piece.length])
    writeSync(file, piece, 0, piece.length, at);
  closeSync(file);
}

it("REP-02 copies a sparse file of 10 GiB in moments, and its copy is as sparse", async () => {
  using folder = bundleFolder();
  sparse(folder.path, 10 * GIB);
  const started = performance.now();
  const bundle = await folder.taken();
  expect(performance.now() - started).toBeLessThan(10_000);
  const copy = statSync(bundle.path);
  expect(copy.size).toBe(10 * GIB);
  expect(copy.blocks * 512).toBeLessThan(2 * MIB);
});

it("REP-02 finds the bundle of a sparse file again, and tells a changed hole from an unchanged one", async () => {
  using folder = bundleFolder();
  sparse(folder.path, GIB);
  const bundle = await folder.taken();
  expect(await folder.taken()).toMatchObject({ kind: "kept", path: bundle.path });
  const file = openSync(folder.path, "r+");
  writeSync(file, Uint8Array.of(1), 0, 1, 700 * MIB + 7);
  closeSync(file);
  folder.clock.advance(1500);
  expect(await folder.taken()).toMatchObject({ kind: "taken" });
});

it("REP-02 copies a file that ends in a hole, begins in one, or is one, to the byte", async () => {
  using folder = bundleFolder();
  for (const [at, length] of [
    [0, 5000],
    [3_000_000, 5000],
    [0, 0],
  ] as const) {
    const file = openSync(folder.path, "w");
    ftruncateSync(file, 5_000_001);
    if (length > 0) writeSync(file, Buffer.alloc(length, 9), 0, length, at);
    closeSync(file);
    folder.clock.advance(1500);
    const bundle = await folder.taken();
    expect(holdsSameBytes(folder.path, bundle.path)).toBe(true);
  }
});

it("REP-02 copies 64 MiB within little memory", async () => {
  using folder = bundleFolder();
  folder.write("", Buffer.alloc(64 * MIB, 3));
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  await folder.taken({
    onProgress: () => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    },
  });
  expect(most).toBeLessThan(16 * MIB);
});
