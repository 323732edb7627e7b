import { linkSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { describePython, openPeerDatabase, startPythonPeer, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { findHolders, openStateStore, systemClock } from "../src/index.js";
import { admitRebuild } from "../src/locking/admit-rebuild.js";

function createStore(path: string): string {
  openStateStore({ path }).close();
  return path;
}

/** A process table of our own: one folder per process, as Linux has it. */
class ProcessTable {
  readonly path: string;

  constructor(dir: TempDir) {
    this.path = dir.file("proc");
    mkdirSync(this.path);
  }

  /** A process with open files. */
  add(pid: number, argv: readonly string[], targets: readonly string[]): this {
    mkdirSync(`${this.path}/${pid}/fd`, { recursive: true });
    for (const [index, target] of targets.entries()) symlinkSync(target, `${this.path}/${pid}/fd/${index}`);
    writeFileSync(`${this.path}/${pid}/cmdline`, argv.map((token) => `${token}\0`).join(""));
    return this;
  }

  /** A process whose open files may not be listed. */
  addClosed(pid: number, argv: readonly string[]): this {
    mkdirSync(`${this.path}/${pid}`);
    writeFileSync(`${this.path}/${pid}/fd`, "");
    writeFileSync(`${this.path}/${pid}/cmdline`, argv.map((token) => `${token}\0`).join(""));
    return this;
  }
}

describePython("processes that have a store open", () => {
  it("SEA-10 REP-08 are found with their files and their command, and never this one", async () => {
    using dir = tempDir("holders");
    const path = createStore(dir.file("state.db"));
    using store = openStateStore({ path });
    await using peer = await startPythonPeer();
    expect(findHolders(path).holders).toEqual([]);
    const db = await openPeerDatabase(peer, path);
    await db.sql("SELECT COUNT(*) FROM messages");
    const { holders } = findHolders(path);
    expect(holders.map(({ pid }) => pid)).toEqual([peer.pid]);
    expect(holders[0]?.files).toEqual(expect.arrayContaining([path, `${path}-wal`, `${path}-shm`]));
    expect(holders[0]?.command).toMatch(/python3 .*peer\.py$/);
    await db.close();
    expect(findHolders(path).holders).toEqual([]);
    expect(store.sessions.count({})).toBe(0);
  });

  it("SEA-10 are found by what they hold of a deleted log", async () => {
    using dir = tempDir("holders");
    const path = createStore(dir.file("state.db"));
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    await db.sql("SELECT COUNT(*) FROM messages");
    unlinkSync(`${path}-wal`);
    expect(findHolders(path).holders).toMatchObject([{ pid: peer.pid }]);
    expect(findHolders(path).holders[0]?.files).toContain(`${path}-wal (deleted)`);
  });

  it("SEA-10 are found through a symlinked home and under a second name of the file", async () => {
    using dir = tempDir("holders");
    mkdirSync(dir.file("real"));
    const path = createStore(dir.file("real/state.db"));
    symlinkSync(dir.file("real"), dir.file("link"));
    linkSync(path, dir.file("other-name.db"));
    await using peer = await startPythonPeer();
    const linked = await openPeerDatabase(peer, dir.file("link/state.db"));
    await linked.sql("SELECT COUNT(*) FROM messages");
    expect(findHolders(dir.file("link/state.db")).holders).toMatchObject([{ pid: peer.pid }]);
    expect(findHolders(path).holders).toMatchObject([{ pid: peer.pid }]);
    await linked.close();
    expect(findHolders(path).holders).toEqual([]);
    const named = await openPeerDatabase(peer, dir.file("other-name.db"));
    await named.sql("SELECT COUNT(*) FROM messages");
    expect(findHolders(path).holders).toMatchObject([{ pid: peer.pid, files: [dir.file("other-name.db")] }]);
    await named.close();
  });
});

describe("processes that may not be looked at", () => {
  const ROOT = "/srv/agent/.hermes";
  const cases: readonly [string, string, readonly string[], boolean][] = [
    ["the system's first process", "default", ["/sbin/init", "splash"], false],
    ["a daemon of another user", "default", ["/usr/bin/dockerd", "-H", "fd://"], false],
    ["one without a command line", "default", [], false],
    ["an editor with a config of ours", "default", ["vim", `${ROOT}/config.yaml`], false],
    ["a shell that greps for us", "default", ["grep", "-r", "hermes", "/var/log"], false],
    ["the gateway", "default", ["hermes", "gateway"], true],
    ["a gateway that names itself", "default", ["hermes: gateway"], true],
    ["the peer run by Python", "default", ["/usr/bin/python3.12", "-m", "hermes_cli.main", "gateway"], true],
    ["the peer of a shared installation", "default", ["python", "/opt/hermes-agent/run.py"], true],
    ["this package run by Node", "default", ["node", "/usr/lib/node_modules/@hermes/state-cli/dist/bin.js"], true],
    ["one behind a wrapper", "default", ["sudo", "-u", "agent", "hermes-state", "optimize"], true],
    ["one that names the database", "default", ["hermes-state", "--home", "/elsewhere", "DB"], true],
    ["one that is told this database", "default", ["hermes-state", "--db", "DB", "status"], true],
    ["one that is told another database", "default", ["hermes-state", "--db=/tmp/x.db", "status"], false],
    ["one that is told this home", "default", ["hermes", "--home", "HOME", "gateway"], true],
    ["one that is told this home with a slash", "default", ["hermes", "--home=HOME/", "gateway"], true],
    ["one that is told another home", "default", ["hermes", "--home", "/srv/other/.hermes", "gateway"], false],
    ["one whose environment is spelled out", "default", ["env", "HERMES_HOME=/srv/b", "hermes"], false],
    ["one that is told a relative home", "default", ["hermes", "--home", "here"], true],
    ["another profile by its flag", "default", ["hermes", "--profile", "work", "gateway"], false],
    ["this profile by its flag", "work", ["hermes", "-p", "work", "gateway"], true],
    ["the default beside a profile", "work", ["hermes", "--profile=default"], false],
    ["another profile by a path", "work", ["hermes", "--log", "ROOT/profiles/play/log.txt"], false],
    ["this profile by a path", "work", ["hermes", "--log", "ROOT/profiles/work/log.txt"], true],
    ["a program that lies in another profile", "default", ["ROOT/profiles/play/venv/bin/python", "hermes"], true],
    ["a flag against a path", "work", ["hermes", "-p", "work", "ROOT/profiles/play/x"], true],
  ];
  it.each(cases)("SEA-10 count only if recognisable as ours and not elsewhere: %s", (_, profile, argv, counts) => {
    using dir = tempDir("holders");
    const root = dir.file("root");
    const home = profile === "default" ? root : `${root}/profiles/${profile}`;
    mkdirSync(home, { recursive: true });
    const path = createStore(`${home}/state.db`);
    const spelled = argv.map((token) =>
      token === "DB" ? path : token.replace("ROOT", root).replace("HOME/", `${home}/`).replace(/HOME$/, home),
    );
    const table = new ProcessTable(dir).addClosed(77, spelled);
    const scan = findHolders(path, table.path);
    expect(scan.holders).toEqual(counts ? [{ pid: 77, files: [], command: spelled.join(" ") }] : []);
    // Whoever must know of everybody is told that somebody could not be looked at.
    expect(scan.complete).toBe(counts);
  });
});

describe("a scan for holders", () => {
  it("SEA-10 does not count this process, files of others, or what has no path", () => {
    using dir = tempDir("holders");
    const path = createStore(dir.file("state.db"));
    const other = createStore(dir.file("state.db.other"));
    const table = new ProcessTable(dir)
      .add(process.pid, ["node"], [path])
      .add(8, ["cat"], [other, "socket:[12]", "/dev/null", "anon_inode:[eventpoll]"])
      .add(9, ["sqlite3", "-readonly"], [`${path}-shm`, "pipe:[1]"]);
    writeFileSync(`${table.path}/uptime`, "1");
    expect(findHolders(path, table.path)).toEqual({
      holders: [{ pid: 9, files: [`${path}-shm`], command: "sqlite3 -readonly" }],
      complete: true,
    });
  });

  it("SEA-10 takes a process that ends meanwhile for none", () => {
    using dir = tempDir("holders");
    const path = createStore(dir.file("state.db"));
    const table = new ProcessTable(dir);
    mkdirSync(`${table.path}/12`);
    expect(findHolders(path, table.path)).toEqual({ holders: [], complete: true });
  });

  it("SEA-10 REP-08 that fails counts as a holder: no process table, no way to ask for the file", () => {
    using dir = tempDir("holders");
    const path = createStore(dir.file("state.db"));
    symlinkSync(dir.file("b"), dir.file("a"));
    symlinkSync(dir.file("a"), dir.file("b"));
    for (const scan of [findHolders(path, dir.file("no-proc")), findHolders(dir.file("a"))]) {
      expect(scan.complete).toBe(false);
      expect(scan.holders).toMatchObject([{ pid: -1, files: [] }]);
      expect(scan.holders[0]?.command).not.toBe("");
    }
    const admission = admitRebuild({ path, clock: systemClock, waitMs: 0, processTable: dir.file("no-proc") });
    expect(admission).toMatchObject({ kind: "deferred", reason: "held-open", holders: [{ pid: -1 }] });
  });
});
