import { existsSync } from "node:fs";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import { exportThenDelete, importInto } from "@hermes/state-portability";
import { repoRoot, runCrashMatrix, tempHome } from "@hermes/testkit";
import { expect, it } from "vitest";
import { open } from "../support.js";
import { FAMILY, fillFamily, stock } from "./family.js";

const SCRIPT = join(repoRoot(), "packages/state-portability/test/children/export-then-delete.mjs");
const GOING = ["root", "middle", "tip", "helper", "helper2", "lost"];
const REST = Object.fromEntries(Object.entries(FAMILY).filter(([id]) => !GOING.includes(id)));

it("POR-08 killed anywhere: the store has everything, or the file has what it lacks; a second run ends it", async () => {
  using home = tempHome();
  {
    using store = open(home.statePath);
    fillFamily(store);
  }
  const seen = { before: 0, between: 0, after: 0 };
  const report = await runCrashMatrix({
    pristine: home.statePath,
    script: SCRIPT,
    most: 24,
    async verify(path, context) {
      const file = `${path}.jsonl`;
      using store = openStateStore({ path });
      const there = stock(store);
      const gone = !("tip" in there);
      expect({ context, there }).toEqual({ context, there: gone ? REST : FAMILY });
      seen[gone ? "after" : existsSync(file) ? "between" : "before"] += 1;
      // What is in the store goes, with the file of the killed run or a new one; what is gone comes back from it.
      if (!gone) await exportThenDelete(store, file, { sessionIds: ["tip"], lineage: "logical" });
      expect({ context, there: stock(store) }).toEqual({ context, there: REST });
      await importInto(store, file);
      expect({ context, there: stock(store) }).toEqual({ context, there: FAMILY });
    },
  });
  expect(report.points).toBeGreaterThan(8);
  expect(seen.between).toBeGreaterThan(4);
  expect(seen.after).toBeGreaterThan(0);
}, 120_000);
