import { readdirSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { eraseSessions, exportThenDelete, importInto } from "@hermes/state-portability";
import { copyPeerFile, describePeer, peerFolder, tempHome, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { exported } from "../support.js";
import { stock } from "./family.js";

/** Long after every lease in these files is over. */
function open(path: string): StateStore {
  return openStateStore({ path, clock: testClock(4_000_000_000) });
}

const FILES = readdirSync(peerFolder() ?? ".").filter((name) => name.endsWith(".db"));

describePeer("stores of real peers", () => {
  it.each(FILES)("POR-08 P20 moves every session of %s out, and an import elsewhere has them all", async (name) => {
    using home = tempHome();
    using store = open(copyPeerFile(name, home));
    const before = stock(store);
    const sessionIds = Object.keys(before);
    const out = home.file("out.jsonl");
    const report = await exportThenDelete(store, out, { sessionIds, lineage: "logical" });
    const messages = Object.values(before).reduce((sum, count) => sum + count, 0);
    expect(report).toMatchObject({ sessions: sessionIds.length, messages });
    expect(stock(store)).toEqual({});
    using target = open(home.file("new.db"));
    expect(await importInto(target, out)).toMatchObject({ imported: sessionIds.length, failed: 0, detached: 0 });
    expect(stock(target)).toEqual(before);
  });

  it("POR-06 POR-08 erases one session of each, and a tree of the others still goes", async () => {
    for (const name of FILES.filter((file) => /-small|-v04\.|-v26\./.test(file))) {
      using home = tempHome();
      const path = copyPeerFile(name, home);
      const store = open(path);
      const [first, ...others] = Object.keys(stock(store));
      expect({ name, ...(await eraseSessions(store, [first!])) }).toMatchObject({ name, clean: true, unsampled: 0 });
      using again = open(path);
      const left = Object.keys(stock(again));
      expect(others).toEqual(expect.arrayContaining(left));
      const { report } = await exported(again, { format: "jsonl", sessionIds: left, lineage: "tree" });
      expect(report.sessions).toBe(left.length);
    }
  });
});
