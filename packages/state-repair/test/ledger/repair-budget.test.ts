import { readFileSync, writeFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { damage, tempHome, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { checkRepairBudget, openLedger, takeForensicBundle } from "../../src/index.js";
import { plenty } from "../evidence/bundle-folder.js";

const EXHAUSTED = "STATE_E_REPAIR_EXHAUSTED";

/** A store whose pages are spoiled, closed. */
function damagedStore(path: string): void {
  const store = openStateStore({ path, journal: "delete" });
  store.sessions.create({ id: "s", source: "cli" });
  for (let n = 0; n < 50; n++)
    store.messages.append("s", { role: "user", content: `message ${String(n)} `.repeat(90) });
  store.close();
  damage.zero(path, 200_000, 4096);
}

/** Changes one byte, whatever it was. */
function poke(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 0xff, offset);
  writeFileSync(path, bytes);
}

it("REP-04 names what to do: restore, look with recover first, the ledger to delete; never a raw shell", async () => {
  using home = tempHome();
  damagedStore(home.statePath);
  const ledger = openLedger(home.statePath, testClock());
  await takeForensicBundle(home.statePath, { clock: testClock(), space: plenty });
  for (let pass = 0; pass < 3; pass++) ledger.recordFailure();
  const refusal = checkRepairBudget(home.statePath, ledger, { backup: true, space: plenty });
  expect(refusal).toMatchObject({ code: EXHAUSTED, facts: { failedAttempts: 3, ledger: ledger.file } });
  for (const part of ["3 times", "Restore a backup", "--inspect-only", ledger.file]) {
    expect(refusal?.message).toContain(part);
  }
  expect(refusal?.message).not.toContain("sqlite3");
});

it.each([
  ["a pass without a bundle asks", { backup: false, space: plenty }, 3, true],
  ["there is room and no bundle of this damage", { backup: true, space: plenty }, 3, false],
  ["a pass failed after room was made", { backup: true, space: plenty }, 4, true],
  ["nobody knows how much room there is", { backup: true, space: () => ({ freeBytes: NaN, totalBytes: 1 }) }, 3, true],
])("REP-03 after three failures, %s", (_, options, failures, refused) => {
  using home = tempHome();
  damagedStore(home.statePath);
  const ledger = openLedger(home.statePath, testClock());
  for (let pass = 0; pass < failures; pass++) ledger.recordFailure();
  expect(checkRepairBudget(home.statePath, ledger, options) !== undefined).toBe(refused);
});

it("REP-03 a bundle of another damage does not show that this one was treated", async () => {
  using home = tempHome();
  damagedStore(home.statePath);
  await takeForensicBundle(home.statePath, { clock: testClock(), space: plenty });
  poke(home.statePath, 4200);
  const ledger = openLedger(home.statePath, testClock());
  for (let pass = 0; pass < 3; pass++) ledger.recordFailure();
  expect(checkRepairBudget(home.statePath, ledger, { backup: true, space: plenty })).toBeUndefined();
});
