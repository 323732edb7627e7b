import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { killAfter, seedFor, spawnNode, tempDir, testRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { childScript } from "./worker.js";

const KILLS = 50;

/** What must hold wherever the creator died: the next open works, and what it finds is whole. */
function expectUsable(path: string, context: string): void {
  using store = openStateStore({ path });
  expect(store.info().schemaVersion, context).toBe(30);
  expect(store.info().ftsLayout, context).toBe(3);
  const [session] = store.sessions.list({}).sessions;
  if (session !== undefined) expect(store.messages.count("s1"), context).toBe(session.messageCount);
  else store.sessions.create({ id: "s1", source: "test" });
  store.messages.append("s1", { role: "user", content: "after the kill" });
  const found = store.read((r) => r.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'kill'"));
  expect(found, context).toHaveLength(1);
  store.write("check the index", (w) => {
    w.run("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
  });
}

describe("a process that dies while it creates a store", () => {
  it(`P04 leaves nothing a later open refuses: SIGKILL at ${String(KILLS)} points of a first open`, async () => {
    using dir = tempDir("killed");
    const script = childScript("create-and-die.mjs");
    await using whole = spawnNode(script, [dir.file("whole.db"), "0"]);
    const total = Number((await whole.exit).stdout);
    expect(total).toBeGreaterThan(KILLS);

    const points = Array.from({ length: KILLS }, (_, index) => Math.ceil(((index + 1) * total) / KILLS));
    for (let start = 0; start < points.length; start += 2) {
      const ends = points.slice(start, start + 2).map(async (point) => {
        const path = dir.file(`at-${String(point)}.db`);
        await using child = spawnNode(script, [path, String(point)], { timeout: 20_000 });
        expect(await child.exit).toMatchObject({ signal: "SIGKILL", timedOut: false, stderr: "" });
        expectUsable(path, `killed before statement ${String(point)} of ${String(total)}`);
      });
      await Promise.all(ends);
    }
  }, 120_000);

  it("P04 survives a kill at a random moment as well, inside a statement of the engine", async () => {
    using dir = tempDir("killed");
    const random = testRandom(seedFor("P04 random kill"));
    const script = childScript("create-and-die.mjs");
    for (let round = 0; round < 12; round++) {
      const path = dir.file(`random-${String(round)}.db`);
      await using child = spawnNode(script, [path, "0"], { timeout: 20_000 });
      for (let waits = 0; waits < 5000 && !existsSync(path); waits++) await setTimeout(1);
      const delay = random.int(0, 40);
      expect((await killAfter(child, delay)).stderr).toBe("");
      expectUsable(path, `killed ${String(delay)} ms after the file appeared`);
    }
  }, 60_000);
});
