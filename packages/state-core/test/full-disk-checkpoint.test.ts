import { describePython, spawnNode, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { childScript } from "./worker.js";

interface Outcome {
  readonly stored: readonly string[];
  readonly errors: readonly string[];
}

describePython("a disk that is full when the log is moved into the file", () => {
  it("COR-11 GND-03 GND-04 is no replaced file: writes say what is wrong, and go on once there is room", async () => {
    using dir = tempDir("full-checkpoint");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path, durability: "normal" });
      store.sessions.create({ id: "s", source: "test" });
      const filler = Array.from({ length: 90 }, (_, n) => ({
        role: "tool",
        content: `${String(n)} ${"x".repeat(100_000)}`,
      }));
      store.messages.appendBatch("s", filler);
    }
    await using child = spawnNode(childScript("append-on-small-volume.mjs"), [path], { timeout: 60_000 });
    const end = await child.exit;
    expect(end, end.stderr).toMatchObject({ code: 0, timedOut: false });
    const { stored, errors } = JSON.parse(end.stdout) as Outcome;
    expect([...new Set(errors)].filter((code) => !["STATE_E_DISK_FULL", "STATE_E_IO"].includes(code))).toEqual([]);
    // The log grew beyond what starts a checkpoint by itself, and every write after the room came back was stored.
    expect(stored.filter((name) => name.startsWith("full")).length).toBeGreaterThan(10);
    expect(stored.filter((name) => name.startsWith("free"))).toHaveLength(60);
    using store = openStateStore({ path });
    const rows = store.read((r) => r.tuples<[string]>("SELECT substr(content, 1, 8) FROM messages ORDER BY id").flat());
    expect(rows.slice(90).map((text) => text.replace(/ .*$/, ""))).toEqual(stored);
    expect(store.read((r) => r.tuples("PRAGMA integrity_check"))).toEqual([["ok"]]);
  }, 90_000);
});
