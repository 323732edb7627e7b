import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";
import {
  damage,
  describePython,
  fileHash,
  openPeerDatabase,
  spawnNode,
  startPythonPeer,
  tempHome,
} from "@hermes/testkit";
import { expect, it } from "vitest";
import { fingerprintOf, listBundles } from "../../src/index.js";
import { childScript } from "../children/child-script.js";

const PAGE = 4096;
const LEAF = "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 5";

/** What one pass in a fresh process reports. */
interface Report {
  readonly repaired: boolean;
  readonly strategy: string | null;
  readonly reason: string | null;
  readonly backupPath: string | null;
}

async function repair(path: string, options: { readonly freeBytes?: number } = {}): Promise<Report> {
  await using child = spawnNode(childScript("apply-repair.mjs"), [path, JSON.stringify(options)]);
  const { stdout, stderr } = await child.exit;
  if (stdout === "") throw new Error(`the repair ended without a report: ${stderr}`);
  return JSON.parse(stdout) as Report;
}

function newStore(path: string, messages: number): void {
  const store = openStateStore({ path, journal: "delete" });
  store.sessions.create({ id: "s", source: "cli" });
  for (let n = 0; n < messages; n++) {
    store.messages.append("s", { role: "user", content: `message ${String(n)} `.repeat(90) });
  }
  store.close();
}

/** A store with a page of messages lost: no strategy may heal that, and every pass fails. Returns it as it was. */
function storeWithLostRows(path: string): Buffer {
  newStore(path, 120);
  const sound = readFileSync(path);
  const connection = openMaintenanceConnection(path, { readonly: true });
  const { pageno } = connection.get<{ pageno: number }>(LEAF)!;
  connection.close();
  damage.zero(path, (pageno - 1) * PAGE, PAGE);
  return sound;
}

const ledgerOf = (path: string): string => `${path}.repair-attempts.json`;
const attempts = (path: string): unknown =>
  (JSON.parse(readFileSync(ledgerOf(path), "utf8")) as { failed_attempts: unknown }).failed_attempts;

it("REP-04 four failing repairs in four fresh processes: the fourth does nothing, and a replaced file starts anew", async () => {
  using home = tempHome();
  storeWithLostRows(home.statePath);
  for (const count of [1, 2, 3]) {
    const report = await repair(home.statePath);
    expect(report).toMatchObject({ repaired: false, reason: "rows-damaged" });
    expect(listBundles(home.statePath).map((bundle) => bundle.path)).toEqual([report.backupPath]);
    expect(attempts(home.statePath)).toBe(count);
  }
  // Bytes in the middle move, the fingerprint does not: still no new bundle.
  damage.zero(home.statePath, 200_000, 10);
  const damaged = fileHash(home.statePath);
  const names = readdirSync(home.path).sort();
  expect(await repair(home.statePath)).toMatchObject({ repaired: false, reason: "exhausted", backupPath: null });
  expect(readdirSync(home.path).sort()).toEqual(names);
  expect(fileHash(home.statePath)).toBe(damaged);
  rmSync(home.statePath);
  newStore(home.statePath, 30);
  expect(await repair(home.statePath)).toMatchObject({ repaired: true, strategy: "already_healthy" });
  expect(existsSync(ledgerOf(home.statePath))).toBe(false);
});

it("REP-04 a backup restored over lost inner pages has the old fingerprint, and is found sound all the same", async () => {
  using home = tempHome();
  const sound = storeWithLostRows(home.statePath);
  for (let pass = 0; pass < 3; pass++) await repair(home.statePath);
  writeFileSync(home.statePath, sound);
  const ledger = JSON.parse(readFileSync(ledgerOf(home.statePath), "utf8")) as { fingerprint: string };
  expect(fingerprintOf(home.statePath)).toBe(ledger.fingerprint);
  expect(await repair(home.statePath)).toMatchObject({ repaired: true, strategy: "already_healthy" });
  expect(existsSync(ledgerOf(home.statePath))).toBe(false);
});

it("REP-03 three repairs without room write nothing, the fourth is terminal, and room lets one more happen", async () => {
  using home = tempHome();
  storeWithLostRows(home.statePath);
  const damaged = fileHash(home.statePath);
  for (const reason of ["no-backup", "no-backup", "no-backup", "exhausted"]) {
    expect(await repair(home.statePath, { freeBytes: 1000 })).toMatchObject({ repaired: false, reason });
  }
  expect(listBundles(home.statePath)).toEqual([]);
  expect(await repair(home.statePath)).toMatchObject({ reason: "rows-damaged" });
  expect(listBundles(home.statePath)).toHaveLength(1);
  expect(await repair(home.statePath)).toMatchObject({ reason: "exhausted" });
  expect(fileHash(home.statePath)).toBe(damaged);
});

it("REP-03 once there is room a repair heals, and the refused passes are forgotten", async () => {
  using home = tempHome();
  newStore(home.statePath, 30);
  const connection = openMaintenanceConnection(home.statePath, { unsafe: true });
  connection.exec("PRAGMA writable_schema=ON");
  connection.exec(`INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
    SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'messages'`);
  connection.close();
  for (const reason of ["no-backup", "no-backup", "no-backup", "exhausted"]) {
    expect(await repair(home.statePath, { freeBytes: 1000 })).toMatchObject({ repaired: false, reason });
  }
  expect(attempts(home.statePath)).toBe(3);
  expect(await repair(home.statePath)).toMatchObject({ repaired: true, strategy: "dedup_schema" });
  expect(existsSync(ledgerOf(home.statePath))).toBe(false);
});

describePython("a repair beside a live Python writer", () => {
  it.each(["delete", "wal"])(
    "REP-08 REP-02 refuses in %s mode, changes nothing and spends no attempt",
    async (mode) => {
      using home = tempHome();
      storeWithLostRows(home.statePath);
      await using peer = await startPythonPeer();
      const db = await openPeerDatabase(peer, home.statePath);
      await db.sql(`PRAGMA journal_mode=${mode}`);
      await db.sql("INSERT INTO state_meta (key, value) VALUES ('peer', 'is here')");
      const state = (): unknown => [
        readdirSync(home.path)
          .filter((name) => name !== "state.db.repair.lock")
          .sort(),
        ["", "-wal", "-journal"].map((suffix) => fileHash(home.statePath + suffix)),
      ];
      const before = state();
      expect(await repair(home.statePath)).toMatchObject({ repaired: false, reason: "live" });
      expect(state()).toEqual(before);
      await db.sql("UPDATE state_meta SET value = 'still' WHERE key = 'peer'");
    },
  );
});
