import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import {
  buildOldStore,
  describePython,
  fileMode,
  openPeerDatabase,
  startPythonPeer,
  tempDir,
  withUmask,
} from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";

const FILES = ["", "-wal", "-shm"];

function writeOne(path: string): void {
  using store = openStateStore({ path });
  store.sessions.ensure({ id: "s1", source: "test" });
  store.messages.append("s1", { role: "user", content: "x" });
}

describe("file modes", () => {
  it.each([0o000, 0o002, 0o022])("P27 COR-13 creates the store and its sidecars 0600 under umask %o", (mask) => {
    using dir = tempDir("modes");
    const path = dir.file("a/b/state.db");
    withUmask(mask, () => {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "test" });
      store.messages.append("s1", { role: "user", content: "x" });
      store.messages.count("s1");
      expect(store.info().journalMode).toBe("wal");
      expect(FILES.map((suffix) => [suffix, fileMode(path + suffix)])).toEqual(FILES.map((suffix) => [suffix, 0o600]));
    });
    expect(fileMode(dir.file("a"))).toBe(0o700);
    expect(fileMode(dir.file("a/b"))).toBe(0o700);
  });

  it("P27 COR-13 creates a rollback journal store 0600 too", () => {
    using dir = tempDir("modes");
    const path = dir.file("state.db");
    withUmask(0o022, () => {
      using store = openStateStore({ path, journal: "delete" });
      store.sessions.create({ id: "s1", source: "test" });
      store.write("look at the journal", (w) => {
        w.run("UPDATE sessions SET model = 'm'");
        if (existsSync(`${path}-journal`)) expect(fileMode(`${path}-journal`)).toBe(0o600);
      });
    });
    expect(fileMode(path)).toBe(0o600);
  });

  it("P27 COR-13 a reader changes no mode", () => {
    using dir = tempDir("modes");
    const path = dir.file("state.db");
    writeOne(path);
    chmodSync(path, 0o644);
    openStateStore({ path, mode: "read" }).close();
    expect(fileMode(path)).toBe(0o644);
  });

  it("P27 COR-13 does not follow a symlink when it tightens", () => {
    using dir = tempDir("modes");
    const target = dir.file("target.db");
    writeOne(target);
    chmodSync(target, 0o644);
    mkdirSync(dir.file("links"));
    symlinkSync(target, dir.file("links/state.db"));
    writeOne(dir.file("links/state.db"));
    expect(fileMode(target)).toBe(0o644);
    using store = openStateStore({ path: target });
    expect(store.messages.count("s1")).toBe(2);
    expect(fileMode(target)).toBe(0o600);
  });

  it("P27 COR-13 leaves a symlink in a sidecar's place alone", () => {
    using dir = tempDir("modes");
    const path = dir.file("state.db");
    writeOne(path);
    const secret = dir.file("other-file");
    writeFileSync(secret, "mine", { mode: 0o644 });
    symlinkSync(secret, `${path}-journal`);
    try {
      writeOne(path);
    } catch {
      // The engine may refuse a foreign journal: only the target's mode matters here.
    }
    expect(fileMode(secret)).toBe(0o644);
  });
});

describePython("file modes beside another process", () => {
  it("P27 COR-13 tightens an existing 0644 store while Python holds it, and Python writes on", async () => {
    using dir = tempDir("modes");
    const path = buildOldStore(dir.file("state.db"), 26);
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await db.createSession({ id: "p1" });
    await db.append("p1", { content: "before" });
    for (const suffix of FILES) chmodSync(path + suffix, 0o644);
    writeOne(path);
    expect(FILES.map((suffix) => fileMode(path + suffix))).toEqual([0o600, 0o600, 0o600]);
    await db.append("p1", { content: "after" });
    expect(existsSync(`${path}-wal`)).toBe(true);
    using store = openStateStore({ path });
    expect(store.messages.conversation("p1").messages.map((message) => message.content)).toEqual(["before", "after"]);
  });
});
