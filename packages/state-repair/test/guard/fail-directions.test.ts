import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { openMaintenanceConnection } from "@hermes/state-core";
import { describePython, fileHash, startPythonPeer, tempHome, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import {
  applyRepair,
  checkBundleSpace,
  checkRepairBudget,
  findLiveWriter,
  openLedger,
  takeForensicBundle,
  withRepairLock,
} from "../../src/index.js";
import { plenty } from "../evidence/bundle-folder.js";

type Direction = "goes on" | "stops";
const fail = (): never => {
  throw Object.assign(new Error("EIO: i/o error"), { errno: -5, code: "EIO" });
};

/** One row of the table: what cannot be known or done, and which way the repair then turns. */
type Row = readonly [
  situation: string,
  numbers: string,
  direction: Direction,
  act: (path: string) => Promise<Direction>,
];

const says = (goesOn: boolean): Direction => (goesOn ? "goes on" : "stops");
const failures = (path: string, count: number): ReturnType<typeof openLedger> => {
  const ledger = openLedger(path, testClock());
  for (let pass = 0; pass < count; pass++) ledger.recordFailure();
  return ledger;
};
const budget = (path: string): Direction =>
  says(checkRepairBudget(path, openLedger(path, testClock()), { backup: false }) === undefined);

const TABLE: readonly Row[] = [
  [
    "the lock file cannot be opened",
    "REP-08",
    "stops",
    async (path) => {
      mkdirSync(`${path}.repair.lock`);
      return says((await withRepairLock(path, testClock(), 1000, () => 1)).kind === "ran");
    },
  ],
  [
    "the holder scan does not know",
    "REP-08",
    "stops",
    async (path) => {
      const scan = { holders: [{ pid: -1, files: [], command: "EACCES" }], complete: false };
      return says(findLiveWriter(path, { scan: () => scan }) === undefined);
    },
  ],
  [
    "the lock probe fails for anything but a lock",
    "REP-08",
    "goes on",
    async (path) => {
      const driver = { name: "broken", open: fail };
      return says(findLiveWriter(path, { driver, scan: () => ({ holders: [], complete: true }) }) === undefined);
    },
  ],
  [
    "the free space cannot be found out",
    "REP-03",
    "stops",
    async (path) => says(checkBundleSpace(path, 1, fail).enough),
  ],
  [
    "the bundle is refused",
    "REP-02",
    "stops",
    async (path) => {
      {
        using connection = openMaintenanceConnection(path, { unsafe: true });
        connection.exec("PRAGMA writable_schema=ON");
        connection.exec(`INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
          SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master`);
      }
      const before = fileHash(path);
      const report = await applyRepair(path, { clock: testClock(), lockWaitMs: 0, space: fail });
      expect(fileHash(path)).toBe(before);
      return says(report.reason !== "no-backup");
    },
  ],
  ["there is no ledger", "REP-04", "goes on", async (path) => budget(path)],
  [
    "the ledger cannot be understood",
    "REP-04",
    "goes on",
    async (path) => {
      writeFileSync(`${path}.repair-attempts.json`, "{");
      return budget(path);
    },
  ],
  [
    "there is no fingerprint, and the recorded one begins with the size of the file",
    "REP-05",
    "stops",
    async (path) => {
      failures(path, 3);
      using _live = openMaintenanceConnection(path);
      return budget(path);
    },
  ],
  [
    "there is no fingerprint, and a failed pass is to be counted",
    "REP-05",
    "stops",
    async (path) => {
      failures(path, 2);
      {
        using _live = openMaintenanceConnection(path);
        failures(path, 1);
      }
      return budget(path);
    },
  ],
  [
    "an earlier bundle cannot be compared",
    "REP-02",
    "goes on",
    async (path) => {
      const clock = testClock();
      const first = await takeForensicBundle(path, { clock, space: plenty });
      if (first.kind === "refused") return "stops";
      clock.advance(2000);
      const onProgress = (): void => rmSync(first.path, { force: true });
      return says((await takeForensicBundle(path, { clock, space: plenty, onProgress })).kind === "taken");
    },
  ],
];

it.each(TABLE.map(([situation, number, ...rest]) => [number, situation, ...rest] as const))(
  "%s when %s, a repair %s",
  async (_, __, direction, act) => {
    using home = tempHome();
    writeFileSync(home.statePath, "");
    {
      using connection = openMaintenanceConnection(home.statePath);
      connection.exec("CREATE TABLE t (id)");
    }
    expect(await act(home.statePath)).toBe(direction);
  },
);

describePython("the lock of a holder that cannot be proven dead", () => {
  it.each([
    ["no record", ""],
    ["a record that cannot be read", "{"],
    ["a record without start ticks", JSON.stringify({ acquired_at: 1, pid: 999_999_999, start_ticks: null })],
    ["a record without a process", JSON.stringify({ acquired_at: 1, pid: 0, start_ticks: 1 })],
  ])("REP-08 is waited for and never broken: %s", async (_, record) => {
    using home = tempHome();
    const lock = `${home.statePath}.repair.lock`;
    await using peer = await startPythonPeer();
    await peer.call("flock", { path: lock });
    writeFileSync(lock, record);
    const result = await withRepairLock(home.statePath, testClock(), 10_000, () => expect.unreachable());
    expect(result.kind).toBe("held");
    expect(readFileSync(lock, "utf8")).toBe(record);
  });
});
