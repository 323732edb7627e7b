import { copyFileSync, utimesSync } from "node:fs";
import {
  describePython,
  fileHash,
  openPeerDatabase,
  runPython,
  startPythonPeer,
  tempDir,
  testClock,
} from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { openStateStore } from "../src/index.js";

const REFUSAL = expect.objectContaining({ code: "STATE_E_REPLACED" }) as Error;

/** A closed store with one session, as a backup would be. */
function backup(dir: TempDir, session: string): string {
  const path = dir.file("backup.db");
  using store = openStateStore({ path });
  store.sessions.create({ id: session, source: "test" });
  return path;
}

/** Copies over the file in another process, so that no lock of ours is dropped by the copy itself. */
function copyOver(from: string, to: string): void {
  runPython("import shutil; shutil.copyfile(*args); answer(True)", [from, to]);
}

describePython("a file that is written over while it is open", () => {
  it.each(["wal", "delete"] as const)(
    "COR-11 T23 refuses the next write and leaves the copy as it is (%s)",
    (journal) => {
      using dir = tempDir("overwritten");
      const path = dir.file("state.db");
      const store = openStateStore({ path, journal, clock: testClock(1_700_000_000) });
      store.sessions.create({ id: "old", source: "test" });
      for (let index = 0; index < 20; index++) store.messages.append("old", { role: "user", content: `row ${index}` });
      const other = backup(dir, "new");
      copyOver(other, path);
      expect(() => store.messages.append("old", { role: "user", content: "lost?" })).toThrow(REFUSAL);
      expect(() => store.sessions.create({ id: "x", source: "test" })).toThrow(REFUSAL);
      store.close();
      expect(fileHash(path)).toBe(fileHash(other));
    },
  );

  it("COR-11 leaves the copy as it is when the handle only closes", () => {
    using dir = tempDir("overwritten");
    const path = dir.file("state.db");
    const store = openStateStore({ path, clock: testClock(1_700_000_000) });
    store.sessions.create({ id: "old", source: "test" });
    const other = backup(dir, "new");
    copyOver(other, path);
    store.close();
    expect(fileHash(path)).toBe(fileHash(other));
  });

  it("COR-11 a checkpoint by another program is no replacement", async () => {
    using dir = tempDir("overwritten");
    const path = dir.file("state.db");
    using store = openStateStore({ path });
    store.sessions.create({ id: "s", source: "test" });
    await using peer = await startPythonPeer();
    const theirs = await openPeerDatabase(peer, path);
    for (let round = 0; round < 20; round++) {
      store.messages.append("s", { role: "user", content: `ours ${round}` });
      await theirs.append("s", { role: "user", content: `theirs ${round}` });
      await theirs.sql("PRAGMA wal_checkpoint(PASSIVE)");
    }
    await theirs.close();
    expect(store.messages.count("s")).toBe(40);
  });

  it("COR-11 fails closed on a change that nothing explains", () => {
    using dir = tempDir("overwritten");
    const path = dir.file("state.db");
    const store = openStateStore({ path, clock: testClock(1_700_000_000) });
    store.sessions.create({ id: "s", source: "test" });
    utimesSync(path, new Date(0), new Date(0));
    expect(() => store.sessions.create({ id: "t", source: "test" })).toThrow(REFUSAL);
    store.close();
    copyFileSync(path, dir.file("copy.db"));
    using again = openStateStore({ path });
    expect(again.sessions.find("s")?.id).toBe("s");
  });
});
