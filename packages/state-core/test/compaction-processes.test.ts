import { writeFileSync } from "node:fs";
import { describePython, openPeerDatabase, runPython, spawnNode, startPythonPeer, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";
import { checkIndexes, dumpStore, wrongCounters } from "./support/dump-store.js";
import { childScript, startWorker } from "./worker.js";
import type { Worker } from "./worker.js";

interface Outcomes {
  readonly done: number;
  readonly held: number;
  readonly closed: number;
}

function conversationWorker(): Promise<Worker> {
  return startWorker(60_000, "conversation-worker.mjs");
}

function fresh(dir: TempDir): string {
  const path = dir.file("state.db");
  using store = openStateStore({ path });
  store.sessions.create({ id: "root", source: "test" });
  store.messages.append("root", { role: "user", content: "first" });
  return path;
}

/** What a conversation speaks of: its own words, and those its summaries stand for. */
function words(store: StateStore, sessionId: string): string[] {
  return store.messages.conversation(sessionId).messages.flatMap(({ content }) => {
    const text = content as string;
    return text.startsWith("[") ? (JSON.parse(text) as string[]) : [text];
  });
}

async function together<T extends readonly unknown[]>(
  count: number,
  run: (workers: readonly Worker[]) => Promise<T>,
): Promise<T> {
  const workers = await Promise.all(Array.from({ length: count }, conversationWorker));
  try {
    return await run(workers);
  } finally {
    await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  }
}

describe("compactions in several processes", () => {
  it("COR-24 two rotators never fork a lineage", async () => {
    using dir = tempDir("rotators");
    const path = fresh(dir);
    const outcomes = await together(2, async (workers) => {
      await Promise.all(workers.map((worker) => worker.call("open", { path })));
      const task = { root: "root", count: 12 };
      return Promise.all(workers.map((worker) => worker.call<Outcomes>("rotateMany", task)));
    });
    // They met: at least one found the lease taken, or the session rotated away.
    expect(outcomes.map(({ held, closed }) => held + closed).reduce((a, b) => a + b)).toBeGreaterThan(0);
    using store = openStateStore({ path });
    const chain = store.lineage.chain("root");
    expect(chain).toHaveLength(1 + 24);
    expect(store.sessions.count({ includeChildren: true })).toBe(1 + 24);
    for (const id of chain.slice(0, -1)) expect(store.lineage.chain(id)).toEqual(chain);
    expect(words(store, chain.at(-1)!)).toEqual(["first"]);
    expect(wrongCounters(store)).toEqual([]);
  }, 60_000);

  it("COR-24 a reader never sees a gap, and what is appended meanwhile is live exactly once", async () => {
    using dir = tempDir("gapless");
    const path = fresh(dir);
    const until = dir.file("stop");
    const [seen, rotated, archived, said] = await together(4, async ([reader, rotator, archiver, client]) => {
      const all = [reader!, rotator!, archiver!, client!] as const;
      await Promise.all(all.map((worker) => worker.call("open", { path })));
      const watching = reader!.call<{ rounds: number; tips: number; gaps: string[] }>("watch", { root: "root", until });
      const work = Promise.all([
        rotator!.call<Outcomes>("rotateMany", { root: "root", count: 10 }),
        archiver!.call<Outcomes>("archiveMany", { root: "root", count: 10 }),
        client!.call<string[]>("appendMany", { root: "root", count: 200, prefix: "word" }),
      ] as const);
      const done = await work.finally(() => {
        writeFileSync(until, "");
      });
      return [await watching, ...done] as const;
    });
    expect(seen.gaps).toEqual([]);
    expect(seen.rounds).toBeGreaterThan(5);
    expect(seen.tips).toBeGreaterThan(1);
    expect([rotated.done, archived.done, said.length]).toEqual([10, 10, 200]);
    using store = openStateStore({ path });
    const chain = store.lineage.chain("root");
    expect(chain).toHaveLength(11);
    // The client's order is kept, through every summary and copy.
    expect(words(store, chain.at(-1)!)).toEqual(["first", ...said]);
    expect(wrongCounters(store)).toEqual([]);
    checkIndexes(store);
  }, 60_000);
});

describe("the measure of a gap", () => {
  it("COR-24 sees a rotation that is two steps (planted)", async () => {
    using dir = tempDir("planted");
    const path = fresh(dir);
    const until = dir.file("stop");
    const seen = await together(2, async ([reader, rotator]) => {
      await Promise.all([reader!.call("open", { path }), rotator!.call("open", { path })]);
      const watching = reader!.call<{ gaps: string[] }>("watch", { root: "root", until });
      await rotator!.call("rotateBadly", { root: "root" }).finally(() => {
        writeFileSync(until, "");
      });
      return [await watching] as const;
    });
    expect(seen[0].gaps).toEqual(expect.arrayContaining(["root leads nowhere"]));
    expect(seen[0].gaps).toEqual(expect.arrayContaining([expect.stringContaining("root-next does not begin")]));
  }, 60_000);
});

describe("a process that dies while it compacts", () => {
  it.each(["archive", "rotate"] as const)(
    "COR-24 P17 leaves the conversation as it was: SIGKILL at every statement of %s",
    async (what) => {
      using dir = tempDir("killed");
      const path = fresh(dir);
      const script = childScript("compact-and-die.mjs");
      const kill = async (point: number): Promise<{ signal: unknown; stdout: string; stderr: string }> => {
        await using child = spawnNode(script, [path, what, String(point)], { timeout: 20_000 });
        return await child.exit;
      };
      let before: unknown;
      {
        using store = openStateStore({ path });
        for (const n of [1, 2, 3]) store.messages.append("root", { role: "user", content: `m${String(n)}` });
        before = dumpStore(store);
      }
      let killed = 0;
      for (let point = 1; ; point++) {
        const end = await kill(point);
        expect(end.stderr).toBe("");
        if (end.signal !== "SIGKILL") break;
        killed += 1;
        using store = openStateStore({ path });
        expect(dumpStore(store), `killed before statement ${String(point)}`).toEqual(before);
        expect(words(store, "root")).toEqual(["first", "m1", "m2", "m3"]);
      }
      expect(killed).toBeGreaterThanOrEqual(what === "archive" ? 8 : 10);
      using store = openStateStore({ path });
      expect(words(store, store.lineage.tip("root"))).toEqual(["summary", "m3"]);
      expect(wrongCounters(store)).toEqual([]);
      checkIndexes(store);
    },
    90_000,
  );
});

/** The peer's compaction in place, by its own rules and with the columns the file has. */
const PYTHON_ARCHIVE = `
import os, time
db = peer.connect(args["path"])
holder = f"pid={os.getpid()}:tid=1:agent=7f00aa:nonce=01234567"
session = args["session"]
def take():
    now = time.time()
    db.execute("INSERT OR IGNORE INTO compression_locks VALUES (?, ?, ?, ?)", (session, holder, now, now + 300))
    return db.execute("SELECT holder FROM compression_locks WHERE session_id = ?", (session,)).fetchone()[0] == holder
while not peer.write(db, take): time.sleep(0.02)
live = "session_id = ? AND active = 1"
mark = db.execute(f"SELECT MAX(id) FROM messages WHERE {live}", (session,)).fetchone()[0]
time.sleep(0.1)
copied = [c for c in peer.columns(db, "messages") if c not in ("id", "active", "compacted", "display_order")]
names = ", ".join(f'"{c}"' for c in copied)
def publish():
    held = db.execute("SELECT 1 FROM compression_locks WHERE session_id = ? AND holder = ? AND expires_at > ?", (session, holder, time.time()))
    assert held.fetchone()
    tail = [r[0] for r in db.execute(f"SELECT id FROM messages WHERE {live} AND id > ? ORDER BY id", (session, mark))]
    db.execute(f"UPDATE messages SET active = 0, compacted = 1 WHERE {live} AND id <= ?", (session, mark))
    db.executemany("UPDATE messages SET active = 0, compacted = 0 WHERE id = ?", [(i,) for i in tail])
    peer.insert(db, "messages", {"session_id": session, "role": "user", "content": "python summary", "timestamp": time.time(), "active": 1})
    for i in tail:
        db.execute(f"INSERT INTO messages ({names}, active, compacted) SELECT {names}, 1, 0 FROM messages WHERE id = ?", (i,))
    count = db.execute(f"SELECT COUNT(*) FROM messages WHERE {live}", (session,)).fetchone()[0]
    db.execute("UPDATE sessions SET message_count = ?, tool_call_count = 0 WHERE id = ?", (count, session))
    db.execute("DELETE FROM compression_locks WHERE session_id = ? AND holder = ?", (session, holder))
    return len(tail)
answer(peer.write(db, publish))
`;

describePython("compactions beside Python", () => {
  it("T12 GND-02 COR-24 both append 300 rows to one session while both compact it once", async () => {
    using dir = tempDir("both");
    const path = fresh(dir);
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await using ours = await conversationWorker();
    await using compactor = await conversationWorker();
    await Promise.all([ours.call("open", { path }), compactor.call("open", { path })]);
    const theirs = db.appendMany("root", 300, "python", 1);
    await theirs.started;
    const said = ours.call<string[]>("appendMany", { root: "root", count: 300, prefix: "node" });
    const archived = compactor.call<Outcomes>("archiveMany", { root: "root", count: 1 });
    const carried = runPython<number>(PYTHON_ARCHIVE, { path, session: "root" });
    await Promise.all([theirs.done, said, archived]);

    expect(carried).toBeGreaterThan(0);
    using store = openStateStore({ path });
    const rows = store.messages.page("root", { include: "visible", limit: 1000 }).messages;
    const contents = rows.map((row) => row.content as string);
    const spoken = contents.filter((text) => /^(?:python|node) \d+$/.test(text));
    // Every acknowledged row is there once, live or compacted; the ids are unique; nothing waits for anything.
    expect([spoken.length, new Set(spoken).size]).toEqual([600, 600]);
    expect(contents.filter((text) => text === "python summary" || text.startsWith("["))).toHaveLength(2);
    expect(wrongCounters(store)).toEqual([]);
    expect(store.leases.list("compression")).toEqual([]);
    checkIndexes(store);
    expect(await db.ftsCheck("messages_fts")).toBe("ok");
    expect(await db.ftsCheck("messages_fts_trigram")).toBe("ok");
    expect(await db.sql("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  }, 60_000);
});
