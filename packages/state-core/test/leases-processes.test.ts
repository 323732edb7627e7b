import { describePython, openPeerDatabase, runPython, spawnChild, startPythonPeer, tempDir } from "@hermes/testkit";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { Lease, LeaseKind, StateStore } from "../src/index.js";
import { startWorker } from "./worker.js";
import type { Worker } from "./worker.js";

const KINDS: readonly LeaseKind[] = ["compression", "turn"];

/** The program that starts another in a PID namespace of its own. */
const UNSHARE = "unshare";

const TABLE: Readonly<Record<LeaseKind, string>> = { compression: "compression_locks", turn: "session_turn_leases" };

function conversationWorker(): Promise<Worker> {
  return startWorker(60_000, "conversation-worker.mjs");
}

function fresh(path: string): StateStore {
  const store = openStateStore({ path });
  store.sessions.create({ id: "s1", source: "test" });
  return store;
}

/** A process id that names nobody in this namespace. */
function isFree(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

describe("leases in several processes", () => {
  it.each(KINDS)("COR-25 P10 of two processes that claim a %s at once exactly one gets it", async (kind) => {
    using dir = tempDir("race");
    const path = dir.file("state.db");
    fresh(path).close();
    await using one = await conversationWorker();
    await using two = await conversationWorker();
    await Promise.all([one.call("open", { path }), two.call("open", { path })]);
    const winners = new Set<string>();
    for (let round = 0; round < 25; round++) {
      const task = { kind, sessionId: "s1", at: Date.now() + 15 };
      const leases = await Promise.all([one, two].map((worker) => worker.call<Lease | null>("acquireAt", task)));
      const [won, ...others] = leases.filter((lease) => lease !== null);
      expect([won?.key, others]).toEqual(["s1", []]);
      const index = leases[0] === null ? 1 : 0;
      winners.add(String(index));
      expect(await [one, two][index]!.call("release", won)).toBe(true);
    }
    expect(winners.size).toBeGreaterThan(0);
  }, 60_000);

  it.each(KINDS)("COR-25 a %s of a process that was killed is free at once, not after its time", async (kind) => {
    using dir = tempDir("killed");
    const path = dir.file("state.db");
    using store = fresh(path);
    await using holder = await conversationWorker();
    await holder.call("open", { path });
    const theirs = await holder.call<Lease>("acquire", { kind, sessionId: "s1" });
    expect(theirs.holder).toContain(`pid=${String(holder.pid)}:`);
    expect(store.leases.acquire(kind, "s1")).toBeUndefined();
    holder.kill();
    await holder.gone;
    expect(store.leases.holder(kind, "s1")?.holder).toBe(theirs.holder);
    const ours = store.leases.acquire(kind, "s1");
    expect(ours?.holder).toContain(`pid=${String(process.pid)}:`);
  });

  it("COR-25 the turns of two processes never mix", async () => {
    using dir = tempDir("turns");
    const path = dir.file("state.db");
    using store = fresh(path);
    await using one = await conversationWorker();
    await using two = await conversationWorker();
    await Promise.all([one.call("open", { path }), two.call("open", { path })]);
    await Promise.all([
      one.call("takeTurns", { sessionId: "s1", count: 8, name: "one" }),
      two.call("takeTurns", { sessionId: "s1", count: 8, name: "two" }),
    ]);
    const said = store.messages.conversation("s1").messages.map((message) => message.content as string);
    expect(said).toHaveLength(32);
    for (let index = 0; index < said.length; index += 2) {
      expect(said[index]!.replace("begins", "ends")).toBe(said[index + 1]);
    }
    expect(store.leases.list("turn")).toEqual([]);
  }, 60_000);
});

/** The peer's claim, by its own rules: expired or provably dead goes, then whoever inserts first has it. */
const PYTHON_CLAIM = `
import os, re, time
db = peer.connect(args["path"])
table, key = args["table"], args["key"]
def dead(holder):
    match = re.search(r"(^|:)pid=(\\d+)(:|$)", holder)
    if not match or int(match.group(2)) == os.getpid(): return False
    try: os.kill(int(match.group(2)), 0)
    except ProcessLookupError: return True
    except OSError: return False
    return False
holder = f"pid={os.getpid()}:tid=1:agent=7f00aa:nonce=01234567"
def claim():
    now = time.time()
    row = db.execute(f"SELECT holder, expires_at FROM {table} WHERE {key} = 's1'").fetchone()
    if row and (row[1] < now or dead(row[0])):
        db.execute(f"DELETE FROM {table} WHERE {key} = 's1' AND holder = ?", (row[0],))
    db.execute(f"INSERT OR IGNORE INTO {table} VALUES ('s1', ?, ?, ?)", (holder, now, now + 300))
    return db.execute(f"SELECT holder FROM {table} WHERE {key} = 's1'").fetchone()[0] == holder
answer(peer.write(db, claim))
`;

const KEY: Readonly<Record<LeaseKind, string>> = { compression: "session_id", turn: "conversation_id" };

describePython("leases beside Python", () => {
  it.each(KINDS)("COR-25 GND-02 a %s of a living Python keeps us out; killed, it is ours at once", async (kind) => {
    using dir = tempDir("python");
    const path = dir.file("state.db");
    using store = fresh(path);
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    const holder = `pid=${String(peer.pid)}:tid=139870:agent=7f3a5c0d1e10:nonce=0a1b2c3d`;
    const now = Date.now() / 1000;
    await db.sql(`INSERT INTO ${TABLE[kind]} VALUES ('s1', ?, ?, ?)`, [holder, now, now + 300]);
    expect(store.leases.acquire(kind, "s1")).toBeUndefined();
    expect(store.leases.holder(kind, "s1")?.holder).toBe(holder);
    peer.kill();
    await peer.stop();
    expect(store.leases.acquire(kind, "s1")?.holder).toContain(`pid=${String(process.pid)}:`);
  });

  it("COR-25 GND-02 a Python that died without naming its process is waited for", async () => {
    using dir = tempDir("python");
    const path = dir.file("state.db");
    using store = fresh(path);
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    const now = Date.now() / 1000;
    await db.sql("INSERT INTO compression_locks VALUES ('s1', 'other-holder', ?, ?)", [now, now + 300]);
    peer.kill();
    await peer.stop();
    expect(store.leases.acquire("compression", "s1")).toBeUndefined();
  });

  it.each(KINDS)("COR-25 GND-02 Python respects our %s while we live, and takes it when we are killed", async (kind) => {
    using dir = tempDir("python");
    const path = dir.file("state.db");
    fresh(path).close();
    const claim = (): boolean => runPython<boolean>(PYTHON_CLAIM, { path, table: TABLE[kind], key: KEY[kind] });
    await using holder = await conversationWorker();
    await holder.call("open", { path });
    const lease = await holder.call<Lease>("acquire", { kind, sessionId: "s1" });
    expect(claim()).toBe(false);
    expect(await holder.call("refresh", lease)).toMatchObject({ holder: lease.holder });
    holder.kill();
    await holder.gone;
    expect(claim()).toBe(true);
    using store = openStateStore({ path });
    // The Python that claimed has ended by now, so its claim is free in turn.
    expect(store.leases.acquire(kind, "s1")).toBeDefined();
  });

  it("COR-25 a process id of another namespace proves nothing", async (context) => {
    if (spawnSync(UNSHARE, ["--pid", "--fork", "true"]).status !== 0) {
      context.skip("this user may not make a PID namespace");
      return;
    }
    using dir = tempDir("namespace");
    const path = dir.file("state.db");
    using store = fresh(path);
    // Children of the namespace print the ids they have in it, and sleep.
    const script = [
      "import os, sys, time",
      "for _ in range(40):",
      "    if os.fork() == 0: time.sleep(30); os._exit(0)",
      "print(*[int(name) for name in os.listdir('/proc') if name.isdigit()], flush=True)",
      "time.sleep(30)",
    ].join("\n");
    const args = ["--pid", "--fork", "--kill-child", "--mount-proc", "python3", "-c", script];
    await using nested = spawnChild(UNSHARE, args, { env: { PATH: process.env["PATH"] ?? "" }, timeout: 30_000 });
    const line = await nested.waitForLine((text) => /^[\d ]+$/.test(text));
    const pid = line.split(" ").map(Number).find(isFree);
    if (pid === undefined) {
      context.skip("every id of the namespace is taken outside, too");
      return;
    }
    const now = Date.now() / 1000;
    const holder = `pid=${String(pid)}:tid=1:agent=7f00aa:nonce=01234567`;
    store.write("a container's lease", (w) => {
      w.run("INSERT INTO compression_locks VALUES ('s1', ?, ?, ?)", [holder, now, now + 300]);
    });
    expect(store.leases.acquire("compression", "s1")).toBeUndefined();
    nested.kill();
    await nested.exit;
    for (let waits = 0; waits < 200 && store.leases.acquire("compression", "s1") === undefined; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(store.leases.holder("compression", "s1")?.holder).toContain(`pid=${String(process.pid)}:`);
  });

  it("COR-25 a holder of this package says its namespace: one of another is alive, one of ours is judged", () => {
    using dir = tempDir("namespace");
    using store = fresh(dir.file("state.db"));
    const dead = spawnSync("true").pid;
    const ours = store.leases.newHolder().replace(/pid=\d+/, `pid=${String(dead)}`);
    const foreign = ours.replace(/agent=.{8}/, "agent=f1234567");
    const now = Date.now() / 1000;
    for (const [id, holder, free] of [["a", ours, true], ["b", foreign, false]] as const) {
      store.write("a lease", (w) => w.run("INSERT INTO compression_locks VALUES (?, ?, ?, ?)", [id, holder, now, now + 300]));
      expect([id, store.leases.acquire("compression", id) !== undefined]).toEqual([id, free]);
    }
  });
});
