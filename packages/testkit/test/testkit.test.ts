import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  buildOldStore,
  describePython,
  fdCount,
  fileBytes,
  fileHash,
  fileMode,
  hashRows,
  killAtLine,
  openPeerDatabase,
  runPython,
  seedFor,
  spawnNode,
  startPythonPeer,
  tempDir,
  tempHome,
  testClock,
  testRandom,
  withUmask,
} from "../src/index.js";

describe("testkit", () => {
  it("removes a temp home with its scope", () => {
    let path: string;
    {
      using home = tempHome();
      path = home.path;
      writeFileSync(home.statePath, "x");
    }
    expect(existsSync(path)).toBe(false);
  });

  it("stands still until its clock is moved, and sleeping moves it", () => {
    const clock = testClock(100);
    clock.sleep(1500);
    expect([clock.now(), clock.monotonicMs(), clock.sleeps]).toEqual([101.5, 1500, [1500]]);
    clock.set(50);
    expect([clock.now(), clock.monotonicMs()]).toEqual([50, 1500]);
    expect(() => {
      clock.advance(-1);
    }).toThrow(RangeError);
  });

  it("repeats a random run by its seed", () => {
    const seed = seedFor("repeats a random run by its seed");
    const draw = (): unknown[] => {
      const random = testRandom(seed);
      return [random.next(), random.hex(8), random.int(1, 6), random.pick(["a", "b", "c"])];
    };
    expect(draw()).toEqual(draw());
    expect(draw()[1]).toMatch(/^[0-9a-f]{16}$/);
  });

  it.runIf(existsSync("/proc/self/fd"))("counts descriptors by the path they point to", async () => {
    using dir = tempDir();
    const path = dir.file("held");
    writeFileSync(path, "x");
    const { open } = await import("node:fs/promises");
    const before = fdCount();
    const handle = await open(path);
    expect([fdCount(path), fdCount() - before]).toEqual([1, 1]);
    await handle.close();
    expect([fdCount(path), fdCount() - before]).toEqual([0, 0]);
  });

  it("reads modes, hashes and bytes of a file", () => {
    using dir = tempDir();
    const path = dir.file("plain");
    withUmask(0o077, () => {
      writeFileSync(path, "abc");
    });
    expect(fileMode(path)).toBe(0o600);
    expect(fileBytes(path, 1, 3)).toBe("6263");
    expect(fileHash(path)).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(fileHash(dir.file("absent"))).toBeUndefined();
  });

  it("bounds a child in time and tells how it ended", async () => {
    using dir = tempDir();
    const script = dir.file("child.mjs");
    writeFileSync(script, 'console.log("ready"); setInterval(() => {}, 1000);');
    const late = spawnNode(script, [], { timeout: 500 });
    expect(await late.exit).toMatchObject({ signal: "SIGKILL", timedOut: true, stdout: "ready" });
    await using killed = spawnNode(script);
    expect(await killAtLine(killed, "ready")).toMatchObject({ signal: "SIGKILL", timedOut: false });
  });

  it("tells what a child said when it ends without the line that was waited for", async () => {
    using dir = tempDir();
    const script = dir.file("child.mjs");
    writeFileSync(script, 'throw new Error("broken child");');
    await using child = spawnNode(script);
    await expect(child.waitForLine((line) => line === "never")).rejects.toThrow("broken child");
  });

  it("gives a child no mark of the runner", async () => {
    using dir = tempDir();
    const script = dir.file("child.mjs");
    writeFileSync(script, "console.log(JSON.stringify([process.env.VITEST, process.env.EXTRA]));");
    await using child = spawnNode(script, [], { env: { EXTRA: "x" } });
    expect((await child.exit).stdout).toBe('[null,"x"]');
  });
});

describePython("Python peer", () => {
  it("GND-02 appends as the peer does, and holds locks that another process sees", async () => {
    using dir = tempDir();
    const path = dir.file("state.db");
    await using peer = await startPythonPeer();
    buildOldStore(path, 26);
    const db = await openPeerDatabase(peer, path);
    await db.createSession({ id: "s1" });
    const content = [{ type: "text", text: "hi" }];
    const id = await db.append("s1", { role: "assistant", content, tool_calls: [{ id: "c" }] });
    expect(await db.sql("SELECT content, tool_calls, active FROM messages WHERE id = ?", [id])).toEqual([
      { content: '\0json:[{"type": "text", "text": "hi"}]', tool_calls: '[{"id": "c"}]', active: 1 },
    ]);
    expect(await db.sql("SELECT message_count, tool_call_count FROM sessions WHERE id = 's1'")).toEqual([
      { message_count: 1, tool_call_count: 1 },
    ]);
    await using other = await startPythonPeer();
    const watcher = await openPeerDatabase(other, path);
    expect(await watcher.canWrite()).toBe(true);
    const held = db.holdWriteLock(300);
    await held.started;
    expect(await watcher.canWrite()).toBe(false);
    await held.done;
    expect(await watcher.canWrite()).toBe(true);
  });

  it("GND-06 tells a changed row from an added column", () => {
    using dir = tempDir();
    const path = dir.file("a.db");
    const script = "db = peer.connect(args[0]); db.execute(args[1]); answer(1)";
    const run = (sql: string): unknown => runPython(script, [path, sql]);
    run("CREATE TABLE t (a TEXT)");
    run("INSERT INTO t VALUES ('x')");
    const before = hashRows(path);
    run("ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 7");
    expect(hashRows(path, { shape: before.shape }).hashes).toEqual(before.hashes);
    expect(hashRows(path).hashes).not.toEqual(before.hashes);
    run("UPDATE t SET a = 'y'");
    expect(hashRows(path, { shape: before.shape }).hashes).not.toEqual(before.hashes);
  });

  it("reports a failure of the script and of the process as an error", async () => {
    expect(() => runPython("raise ValueError('no')", null)).toThrow("ValueError");
    await using peer = await startPythonPeer();
    await expect(peer.call("open", { path: "/nonexistent/x.db", name: "x" })).rejects.toThrow("OperationalError");
    const pending = peer.call("sql", { name: "x", sql: "SELECT 1" });
    peer.kill();
    await expect(pending).rejects.toThrow();
  });

  it("SEA-09 takes the same kernel lock as fcntl.flock", async () => {
    using dir = tempDir();
    await using one = await startPythonPeer();
    await using two = await startPythonPeer();
    const path = dir.file("x.lock");
    expect(await one.call("flock", { path })).toBe(true);
    expect(await two.call("flock", { path })).toBe(false);
    await one.call("unflock", { path });
    expect(await two.call("flock", { path })).toBe(true);
  });
});
