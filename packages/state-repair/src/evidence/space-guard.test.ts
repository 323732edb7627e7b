import { expect, it } from "vitest";
import { checkBundleSpace, checkScratchSpace, volumeSpace } from "./space-guard.js";
import type { VolumeSpace } from "./space-guard.js";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const volume = (freeBytes: number, totalBytes: number) => (): VolumeSpace => ({ freeBytes, totalBytes });

it.each([
  ["256 MiB on a small volume", 5 * GIB, 256 * MIB],
  ["2 % of a large one", 1000 * GIB, 20 * GIB],
])("REP-03 keeps %s free", (_, total, headroom) => {
  const need = 50 * MIB;
  expect(checkBundleSpace("/x/state.db", need, volume(need + headroom, total)).enough).toBe(true);
  const verdict = checkBundleSpace("/x/state.db", need, volume(need + headroom - 1, total));
  expect(verdict).toMatchObject({ enough: false, neededBytes: need, headroomBytes: headroom });
});

it("REP-03 lets 50 MB be copied with 1.5 GB free: there is no flat floor of gigabytes", () => {
  expect(checkBundleSpace("/x/state.db", 50e6, volume(1.5e9, 16e9)).enough).toBe(true);
});

it("REP-03 asks for three times the bundle before surgery on a scratch copy", () => {
  const free = 3 * 100 * MIB + 256 * MIB;
  expect(checkScratchSpace("/x/state.db", 100 * MIB, volume(free, GIB)).enough).toBe(true);
  expect(checkScratchSpace("/x/state.db", 100 * MIB, volume(free - 1, GIB)).enough).toBe(false);
});

it("REP-03 names free, needed and headroom bytes and the command that recovers", () => {
  const { message } = checkBundleSpace("/x/state.db", 111, volume(222, GIB));
  for (const part of ["222", "111", String(256 * MIB), "hermes-state recover --source"])
    expect(message).toContain(part);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("statfs");
    },
  ],
  ["answers nonsense", volume(NaN, GIB)],
])("REP-03 fails closed when the system %s", (_, probe) => {
  const verdict = checkBundleSpace("/x/state.db", 1, probe);
  expect(verdict.enough).toBe(false);
  expect(verdict.message).toContain("hermes-state recover");
});

it("REP-03 fails closed for a folder that is not there", () => {
  expect(checkBundleSpace("/no/such/folder/state.db", 1).enough).toBe(false);
  expect(volumeSpace("/").totalBytes).toBeGreaterThan(0);
});
