import { readdirSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { describePython, openPeerDatabase, spawnNode, startPythonPeer, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { childScript } from "../children/child-script.js";

/** A store in DELETE mode, whose locks are on the file itself, and a process that writes to it. */
async function whileHeld(
  how: "raw" | "product",
  look: (canWrite: () => Promise<boolean>) => Promise<void>,
): Promise<{ answers: unknown; names: string[] }> {
  using dir = tempDir("theft");
  const path = dir.file("state.db");
  openStateStore({ path, journal: "delete" }).close();
  await using peer = await startPythonPeer();
  const db = await openPeerDatabase(peer, path);
  await using child = spawnNode(childScript("hold-and-repair.mjs"), [path, how]);
  await child.waitForLine((line) => line === "holding");
  expect(await db.canWrite()).toBe(false);
  child.send("try");
  await child.waitForLine((line) => line === "tried");
  await look(() => db.canWrite());
  child.send("commit");
  const answer = await child.waitForLine((line) => line.startsWith("{"));
  return { answers: JSON.parse(answer), names: readdirSync(dir.path) };
}

describePython("locks under repair", () => {
  it("COR-07 REP-05 positive control: reading the file raw in the writing process gives its lock away", async () => {
    await whileHeld("raw", async (canWrite) => expect(await canWrite()).toBe(true));
  });

  it("COR-07 REP-02 REP-04 REP-05 no step of a repair gives a lock away: each refuses, and the commit succeeds", async () => {
    const { answers, names } = await whileHeld("product", async (canWrite) => expect(await canWrite()).toBe(false));
    expect(answers).toEqual({
      fingerprint: null,
      exhausted: false,
      refusal: null,
      writer: "own",
      bundle: "live",
      committed: true,
    });
    expect(names.filter((name) => /backup|attempts/.test(name))).toEqual([]);
  });
});
