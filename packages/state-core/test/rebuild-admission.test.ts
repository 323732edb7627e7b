import { detachFts } from "@hermes/state-schema";
import { buildOldStore, describePython, openPeerDatabase, startPythonPeer, tempDir, testClock } from "@hermes/testkit";
import { expect, it } from "vitest";
import { acquireKernelLock, openStateStore, systemClock } from "../src/index.js";
import { orphanLock } from "./support/orphan-lock.js";

const TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages\\_fts%' ESCAPE '\\'";

describePython("the right to rebuild an index", () => {
  it("SEA-09 T16 is a kernel lock that a Python holder has alone, and the reverse", async () => {
    using dir = tempDir("admission");
    const lock = dir.file("state.db.fts_rebuild.lock");
    await using peer = await startPythonPeer();
    expect(await peer.call("flock", { path: lock })).toBe(true);
    expect(acquireKernelLock(lock, 0, systemClock).kind).toBe("held");
    await peer.call("unflock", { path: lock });
    const mine = acquireKernelLock(lock, 0, systemClock);
    expect(mine.kind).toBe("acquired");
    expect(await peer.call("flock", { path: lock })).toBe(false);
    if (mine.kind === "acquired") mine.release();
    expect(await peer.call("flock", { path: lock })).toBe(true);
  });

  it("SEA-09 T16 an open that does not get it detaches the index, waits its bound and goes on storing", async () => {
    using dir = tempDir("admission");
    const path = buildOldStore(dir.file("state.db"), 22, { messages: 6 });
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    // A runtime without the index module leaves it without triggers; the next capable open wants to rebuild it.
    for (const { name } of await db.sql<{ name: string }>(TRIGGERS)) await db.sql(`DROP TRIGGER ${name}`);
    // Whoever has the file open is refused before anybody waits: this is about the lock alone.
    await db.close();
    expect(await peer.call("flock", { path: `${path}.fts_rebuild.lock` })).toBe(true);
    const clock = testClock(1_700_000_000);
    const started = clock.monotonicMs();
    {
      using store = openStateStore({ path, clock });
      expect(clock.monotonicMs() - started).toBeGreaterThanOrEqual(119_000);
      expect(store.meta.get("fts_stale")).toBe("1");
      expect(store.read((r) => r.all(TRIGGERS))).toEqual([]);
      store.messages.append("old-1", { role: "user", content: "stored all the same" });
      expect(store.messages.conversation("old-1").messages.at(-1)?.content).toBe("stored all the same");
    }
  });

  it("SEA-09 SEA-11 T16 an open breaks the lock of a holder that died while its child lives, and rebuilds", async () => {
    using dir = tempDir("admission");
    const path = buildOldStore(dir.file("state.db"), 22, { messages: 6 });
    {
      using store = openStateStore({ path });
      store.write("test: detach", detachFts);
    }
    using _orphan = await orphanLock(`${path}.fts_rebuild.lock`);
    const clock = testClock(1_700_000_000);
    using store = openStateStore({ path, clock });
    expect(clock.monotonicMs()).toBeLessThan(5_000);
    expect(store.meta.get("fts_stale")).toBeUndefined();
    expect(store.read((r) => r.all(TRIGGERS))).toHaveLength(6);
  });
});
