import { describePython, openPeerDatabase, startPythonPeer, tempDir } from "@hermes/testkit";
import type { PeerDatabase } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import { startWorker } from "./worker.js";

async function one<T>(db: PeerDatabase, sql: string, params: readonly unknown[] = []): Promise<T | undefined> {
  return (await db.sql<{ value: T }>(sql, params))[0]?.value;
}

describePython("one file, two libraries", () => {
  it("P10 GND-02 T12 Python and this store append 500 rows each to one session at once", async () => {
    using dir = tempDir("mixed");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "shared", source: "test" });
    }
    await using peer = await startPythonPeer();
    await using worker = await startWorker();
    const db = await openPeerDatabase(peer, path);
    await worker.call("open", { path });
    const theirs = db.appendMany("shared", 500, "kumquat from python", 1);
    await theirs.started;
    const task = { sessionId: "shared", count: 500, prefix: "kumquat from node" };
    const ourIds = await worker.call<number[]>("appendMany", task);
    const theirIds = await theirs.done;

    expect(new Set([...ourIds, ...theirIds]).size).toBe(1000);
    expect(ourIds).toEqual([...ourIds].sort((a, b) => a - b));
    // They ran at the same time: neither side finished before the other began.
    expect(Math.max(...theirIds)).toBeGreaterThan(Math.min(...ourIds));
    expect(Math.max(...ourIds)).toBeGreaterThan(Math.min(...theirIds));
    expect(await one(db, "SELECT message_count AS value FROM sessions WHERE id = 'shared'")).toBe(1000);
    expect(await one(db, "SELECT count(*) AS value FROM messages WHERE session_id = 'shared'")).toBe(1000);
    const found = "SELECT count(*) AS value FROM messages_fts WHERE messages_fts MATCH 'kumquat'";
    expect(await one(db, found)).toBe(1000);
    expect(await db.ftsCheck("messages_fts")).toBe("ok");
    expect(await db.ftsCheck("messages_fts_trigram")).toBe("ok");
    expect(await db.sql("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    using store = openStateStore({ path, mode: "read" });
    expect(store.messages.count("shared")).toBe(1000);
  }, 60_000);

  it("GND-02 reads and writes structured content exactly as Python does", async () => {
    using dir = tempDir("mixed");
    const path = dir.file("state.db");
    const parts = [{ type: "text", text: "näive 大别山 \u{1f9d1}\u200d\u{1f680}" }];
    using store = openStateStore({ path });
    store.sessions.create({ id: "s1", source: "test" });
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    const ours = store.messages.append("s1", { role: "user", content: parts });
    const theirs = await db.append("s1", { role: "user", content: parts });
    const rows = await db.sql<{ content: string }>("SELECT content FROM messages ORDER BY id");
    expect(rows[0]?.content).toBe(rows[1]?.content);
    expect(store.messages.get(ours.id).content).toEqual(parts);
    expect(store.messages.get(theirs).content).toEqual(parts);
    expect(store.sessions.get("s1").messageCount).toBe(2);
  });
});

describe("many processes", () => {
  it("P14 COR-21 the same platform ids from two processes at once become one row each", async () => {
    using dir = tempDir("twice");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "test" });
    }
    await using one = await startWorker();
    await using two = await startWorker();
    await Promise.all([one.call("open", { path }), two.call("open", { path })]);
    const ids = Array.from({ length: 200 }, (_, index) => `m${String(index)}`);
    const task = { sessionId: "s1", ids };
    const answers = await Promise.all([
      one.call<{ id: number; existing: boolean }[]>("appendPlatform", task),
      two.call<{ id: number; existing: boolean }[]>("appendPlatform", task),
    ]);
    for (const index of ids.keys()) {
      const pair = answers.map((answer) => answer[index]);
      expect(new Set(pair.map((receipt) => receipt?.id)).size).toBe(1);
      expect(pair.filter((receipt) => receipt?.existing === false)).toHaveLength(1);
    }
    using store = openStateStore({ path, mode: "read" });
    expect([store.messages.count("s1"), store.sessions.get("s1").messageCount]).toEqual([200, 200]);
  });

  it("P10 GND-05 stores 8 x 500 messages of 8 processes while a ninth lists and searches", async () => {
    using dir = tempDir("many");
    const path = dir.file("state.db");
    openStateStore({ path }).close();
    const workers = await Promise.all(Array.from({ length: 9 }, () => startWorker()));
    const [reader, ...writers] = workers;
    try {
      await Promise.all(workers.map((worker) => worker.call("open", { path })));
      await Promise.all(writers.map((worker, n) => worker.call("create", { id: `w${String(n)}`, source: "test" })));
      const reading = reader?.call<{ rounds: number; rows: number }>("readFor", { seconds: 3, word: "mangosteen" });
      const ids = await Promise.all(
        writers.map((worker, n) =>
          worker.call<number[]>("appendMany", { sessionId: `w${String(n)}`, count: 500, prefix: "mangosteen" }),
        ),
      );
      const read = await reading;
      expect(read?.rounds).toBeGreaterThan(0);
      expect(new Set(ids.flat()).size).toBe(4000);
      using store = openStateStore({ path, mode: "read" });
      for (const [n, own] of ids.entries()) {
        const id = `w${String(n)}`;
        expect(store.sessions.get(id).messageCount).toBe(500);
        const stored = store.messages.page(id, { limit: 1000 }).messages;
        expect(stored.map((message) => message.id)).toEqual(own);
        expect(stored.map((message) => message.content)).toEqual(own.map((_, index) => `mangosteen ${String(index)}`));
      }
    } finally {
      await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
    }
  }, 90_000);
});
