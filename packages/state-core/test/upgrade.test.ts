import {
  buildOldStore,
  copyPeerFile,
  describePeer,
  describePython,
  hashRowsIn,
  openPeerDatabase,
  startPythonPeer,
  tempDir,
} from "@hermes/testkit";
import type { OldFtsLayout, PythonPeer } from "@hermes/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";

/** What migrations are meant to touch; every other cell must come through as it was. */
const INTENDED = [
  "schema_version",
  "state_meta",
  "sessions.system_prompt",
  "sessions.model_config",
  "session_model_usage",
];

let peer: PythonPeer;

async function upgradeAndGoBack(path: string): Promise<void> {
  const before = await hashRowsIn(peer, path, { exclude: INTENDED });
  let receipt: number;
  let session: string;
  {
    using store = openStateStore({ path });
    expect((await hashRowsIn(peer, path, { shape: before.shape })).hashes).toEqual(before.hashes);
    session = store.sessions.create({ id: "after-upgrade", source: "test" }).id;
    receipt = store.messages.append(session, { role: "user", content: "tamarillo from node" }).id;
  }
  const db = await openPeerDatabase(peer, path);
  const ours = await db.sql("SELECT content FROM messages WHERE id = ?", [receipt]);
  expect(ours).toEqual([{ content: "tamarillo from node" }]);
  const theirs = await db.append(session, { content: "tamarillo from python" });
  await db.close();
  // A second open changes nothing more.
  const between = await hashRowsIn(peer, path);
  openStateStore({ path }).close();
  expect((await hashRowsIn(peer, path)).hashes).toEqual(between.hashes);
  using store = openStateStore({ path, mode: "read" });
  expect(store.messages.get(theirs).content).toBe("tamarillo from python");
  expect(store.sessions.get(session).messageCount).toBe(2);
  const found = store.read((r) => r.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'tamarillo'"));
  expect(found).toHaveLength(2);
}

/** Opens, which upgrades, and appends one message among those of another process. */
function openAndAppend(path: string): { readonly id: number } {
  using store = openStateStore({ path });
  return store.messages.append("old-1", { role: "user", content: "cherimoya of this process" });
}

describePython("old stores, built here", () => {
  beforeAll(async () => {
    peer = await startPythonPeer();
  });
  afterAll(() => peer.stop());

  it.each([2, 4, 6, 8, 11, 14, 16, 20, 22, 23, 25, 26, 30])(
    "SCH-02 SCH-04 upgrades a version %i store: rows byte for byte, and Python works on with it",
    async (version) => {
      using dir = tempDir("upgrade");
      await upgradeAndGoBack(buildOldStore(dir.file("state.db"), version, { sessions: 3, messages: 8 }));
    },
  );

  it.each<OldFtsLayout>(["content-only", "mixed", 0, 1, 2, 3])(
    "SCH-05 leaves an index of layout %s as it is, and keeps it in step with new rows",
    async (fts) => {
      using dir = tempDir("upgrade");
      const path = buildOldStore(dir.file("state.db"), 26, { fts, messages: 8 });
      await upgradeAndGoBack(path);
      using store = openStateStore({ path });
      expect(store.info().ftsLayout).toBe(fts);
    },
  );

  it.each([2, 11, 22, 26])("SCH-02 GND-02 upgrades a version %i store while Python keeps writing to it", async (version) => {
    using dir = tempDir("upgrade");
    const path = buildOldStore(dir.file("state.db"), version, { sessions: 3, messages: 8 });
    const db = await openPeerDatabase(peer, path);
    const writing = db.appendMany("old-1", 150, "cherimoya", 10);
    await writing.started;
    const { id } = openAndAppend(path);
    const ids = await writing.done;
    expect(ids.some((other) => other < id)).toBe(true);
    expect(ids.some((other) => other > id)).toBe(true);
    using store = openStateStore({ path });
    expect(store.messages.count("old-1")).toBe(8 + 150 + 1);
    expect(store.sessions.get("old-1").messageCount).toBe(8 + 150 + 1);
    const found = store.read((r) => r.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'cherimoya'"));
    expect(found).toHaveLength(151);
    expect(await db.ftsCheck("messages_fts")).toBe("ok");
    await db.close();
  });

  it("SCH-04 an old store opened by a reader is not changed at all, and its rows have the newest shape", async () => {
    using dir = tempDir("upgrade");
    const path = buildOldStore(dir.file("state.db"), 2, { journal: "delete" });
    const before = await hashRowsIn(peer, path);
    {
      using store = openStateStore({ path, mode: "read" });
      expect(store.info()).toMatchObject({ schemaVersion: 2, staleSchema: true, readonly: true });
      expect(store.messages.conversation("old-1").messages).toHaveLength(5);
      expect(store.sessions.get("old-1")).toMatchObject({ archived: false, messageCount: 5 });
      expect(store.sessions.list({}).sessions).toHaveLength(2);
    }
    expect(await hashRowsIn(peer, path)).toEqual(before);
    const db = await openPeerDatabase(peer, path);
    expect(await db.sql("SELECT name FROM sqlite_master WHERE name = 'state_meta'")).toEqual([]);
    await db.close();
  });
});

const REAL = [
  ...["v02", "v04", "v06", "v08", "v11", "v14", "v16", "v20", "v22", "v23", "v26", "v30-hybrid"],
  ...["v26-from-v22", "v26-from-v04-direct", "v26-from-v04-chain", "v26-rebuild-pending", "small"],
];

describePeer("stores that real peers wrote", () => {
  beforeAll(async () => {
    peer = await startPythonPeer();
  });
  afterAll(() => peer.stop());

  it.each(REAL)("SCH-02 SCH-05 GND-02 upgrades peer-%s.db, rows byte for byte, for Python too", async (name) => {
    using dir = tempDir("upgrade");
    await upgradeAndGoBack(copyPeerFile(`peer-${name}.db`, dir));
  });
});
