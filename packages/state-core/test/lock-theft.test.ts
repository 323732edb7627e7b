import { copyFileSync } from "node:fs";
import { describePython, openPeerDatabase, spawnNode, startPythonPeer, tempDir } from "@hermes/testkit";
import { expect, it } from "vitest";
import { isStateError, openOfflineScope, openStateStore } from "../src/index.js";
import { childScript } from "./worker.js";

describePython("locks of this process", () => {
  it("COR-07 T19 positive control: a raw read of a database that is open here gives its write lock away", async () => {
    using dir = tempDir("theft");
    const path = dir.file("state.db");
    openStateStore({ path, journal: "delete" }).close();
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await using child = spawnNode(childScript("hold-and-read.mjs"), [path]);
    await child.waitForLine((line) => line === "holding");
    expect(await db.canWrite()).toBe(false);
    child.send("read");
    await child.waitForLine((line) => line === "read");
    expect(await db.canWrite()).toBe(true);
  });

  it("COR-07 T19 refuses raw access while a store is open, so that Python stays blocked until the commit", async () => {
    using dir = tempDir("theft");
    const path = dir.file("state.db");
    await using peer = await startPythonPeer();
    {
      using store = openStateStore({ path, journal: "delete" });
      const db = await openPeerDatabase(peer, path);
      let refused: unknown;
      store.write("hold the lock", (w) => {
        w.run("INSERT INTO state_meta (key, value) VALUES ('test', '1')");
        try {
          using scope = openOfflineScope(path);
          copyFileSync(scope.path, dir.file("copy.db"));
        } catch (error) {
          refused = error;
        }
      });
      expect(isStateError(refused, "STATE_E_LIVE_CONNECTION"), String(refused)).toBe(true);
      expect(await db.canWrite()).toBe(true);
    }
    using scope = openOfflineScope(path);
    copyFileSync(scope.path, dir.file("copy.db"));
    expect(() => openStateStore({ path })).toThrow(expect.objectContaining({ code: "STATE_E_OFFLINE_IN_USE" }));
  });

  it("COR-07 T19 opening the file again, in any mode and spelling, keeps the lock of a running write", async () => {
    using dir = tempDir("theft");
    const path = dir.file("state.db");
    openStateStore({ path, journal: "delete" }).close();
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await using child = spawnNode(childScript("hold-and-reopen.mjs"), [path]);
    await child.waitForLine((line) => line === "holding");
    expect(await db.canWrite()).toBe(false);
    child.send("reopen");
    await child.waitForLine((line) => line === "reopened");
    expect(await db.canWrite()).toBe(false);
    child.send("commit");
    await child.waitForLine((line) => line === "committed");
    expect(await db.canWrite()).toBe(true);
  });
});
