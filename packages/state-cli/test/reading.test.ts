import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import {
  copyPeerFile,
  describePeer,
  describePython,
  fileHash,
  openPeerDatabase,
  peerExpected,
  startPythonPeer,
  type TempHome,
  tempHome,
} from "@hermes/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fillHome, hermes, hermesJson } from "./support.js";

const NOBODY = 65534;

interface Expected {
  readonly list_sessions_rich: Record<string, { args: object; rows: { id: string }[] }>;
  readonly sessions: Record<string, { conversation: { role: string; content: unknown }[] }>;
}

describePeer("a store that a real peer wrote", () => {
  it("P20 SCH-10 is listed, searched, shown, checked and exported without a byte of it changing", () => {
    using home = tempHome();
    const db = copyPeerFile("peer-small.db", home);
    const before = fileHash(db);
    const expected = peerExpected<Expected>("peer-small.db");
    const at = ["--db", db];

    const { sessions } = hermesJson<{ sessions: { id: string }[] }>(["sessions", "list", ...at]);
    const listed = expected.list_sessions_rich["default"]?.rows.map(({ id }) => id);
    expect(sessions.map(({ id }) => id)).toEqual(listed);
    for (const id of ["shapes", "inplace", "comp_tip"]) {
      const { messages } = hermesJson<{ messages: { role: string; content: unknown }[] }>([
        "sessions",
        "show",
        id,
        ...at,
      ]);
      const wanted = expected.sessions[id]?.conversation.map(({ role, content }) => [role, content]);
      expect(
        messages.map(({ role, content }) => [role, content]),
        id,
      ).toEqual(wanted);
    }
    for (const query of ["error", "数据库", "orchid AND pipeline"]) {
      expect(hermesJson<{ hits: unknown[] }>(["search", query, ...at]).hits.length, query).toBeGreaterThan(0);
    }
    expect(hermesJson(["check", ...at])).toMatchObject({ verdict: "healthy", level: "quick" });
    expect(hermes(["export", home.file("out.jsonl"), ...at]).code).toBe(0);
    expect(hermesJson(["import", home.file("out.jsonl"), "--db", home.file("new.db")])).toMatchObject({
      imported: 35,
      failed: 0,
    });
    expect(fileHash(db)).toBe(before);
  });
});

/** Copies of stores that were read in place of the original; none may be left. */
function copiesLeft(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("hermes-read-"));
}

/** A folder with a closed store in WAL mode that nobody may write to. */
function lockedStore(home: TempHome): string {
  fillHome(home.path);
  mkdirSync(home.file("locked"));
  const db = home.file("locked/state.db");
  copyFileSync(home.statePath, db);
  expect(readFileSync(db).subarray(18, 20)).toEqual(Buffer.from([2, 2]));
  chmodSync(home.file("locked"), 0o555);
  return db;
}

describe("a store in a folder that is not for writing", () => {
  let home: TempHome;
  beforeEach(() => {
    home = tempHome();
  });
  afterEach(() => {
    chmodSync(home.file("locked"), 0o755);
    home[Symbol.dispose]();
  });

  it("is read through a private copy, says so, and is left as it was", () => {
    const db = lockedStore(home);
    const before = statSync(db).mtimeMs;
    const run = hermes(["sessions", "list", "--jsonl", "--db", db]);
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([0, { id: "s1" }]);
    expect(run.stderr).toContain("not writable");
    expect(hermesJson(["status", "--db", db])).toMatchObject({ path: db, counts: { sessions: 1 }, journalMode: "wal" });
    expect(hermesJson(["check", "--db", db])).toMatchObject({ verdict: "healthy", path: db });
    expect(readdirSync(home.file("locked"))).toEqual(["state.db"]);
    expect(statSync(db).mtimeMs).toBe(before);
    expect(copiesLeft()).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)("is read by a user who may not write there", () => {
    const db = lockedStore(home);
    for (const path of [home.path, db]) chmodSync(path, 0o755);
    const run = hermes(["search", "deploy", "--json", "--db", db], { uid: NOBODY });
    expect(run, run.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(run.stdout)).toMatchObject({ hits: [{ sessionId: "s1" }] });
    const write = hermes(["sessions", "append", "s1", "--content", "x", "--json", "--db", db], { uid: NOBODY });
    expect([write.code, write.stdout]).toEqual([1, ""]);
    expect(JSON.parse(write.stderr)).toMatchObject({ error: { code: expect.stringMatching(/^STATE_E_/) as string } });
    expect(readdirSync(home.file("locked"))).toEqual(["state.db"]);
  });

  describePython("with a log", () => {
    it("is read with the rows that only its log holds", async () => {
      const db = lockedStore(home);
      chmodSync(home.file("locked"), 0o755);
      await using peer = await startPythonPeer();
      const store = await openPeerDatabase(peer, db);
      await store.sql("PRAGMA wal_autocheckpoint=0");
      await store.append("s1", { role: "user", content: "only in the log" });
      peer.kill();
      await peer.stop();
      rmSync(`${db}-shm`);
      chmodSync(home.file("locked"), 0o555);
      const { messages } = hermesJson<{ messages: { content: string }[] }>(["sessions", "show", "s1", "--db", db]);
      expect(messages.at(-1)?.content).toBe("only in the log");
      expect(readdirSync(home.file("locked")).sort()).toEqual(["state.db", "state.db-wal"]);
    });
  });
});

const WITHOUT_DRIVER = `const Module = require("node:module");
const load = Module._load;
Module._load = function (request, ...rest) {
  if (!/^better-sqlite3/.test(request)) return load.call(this, request, ...rest);
  throw Object.assign(new Error("Cannot find module 'better-sqlite3'"), { code: "MODULE_NOT_FOUND" });
};
`;

const WITHOUT_WORKSPACE = `import { register } from "node:module";
const hooks = \`export async function resolve(name, context, next) {
  if (name.startsWith("@hermes/")) throw new Error("loaded " + name);
  return await next(name, context);
}\`;
register("data:text/javascript," + encodeURIComponent(hooks));
`;

describe("loading", () => {
  it("P26 shows help without the native driver, and names the remedy in one line where a verb needs it", () => {
    using home = tempHome();
    fillHome(home.path);
    writeFileSync(home.file("block.cjs"), WITHOUT_DRIVER);
    const execArgv = ["-r", home.file("block.cjs")];
    expect(hermes(["--help"], { execArgv })).toMatchObject({ code: 0, stderr: "" });
    expect(hermes(["path", "--home", home.path], { execArgv }).code).toBe(0);
    for (const words of [["sessions", "list"], ["check"], ["sessions", "create", "--source", "cli"]]) {
      const run = hermes([...words, "--home", home.path], { execArgv });
      expect([run.code, run.stdout, run.stderr.trimEnd().split("\n").length]).toEqual([1, "", 1]);
      expect(run.stderr).toContain("npm rebuild better-sqlite3");
    }
    const other = hermes(["sessions", "create", "--source", "cli", "--home", home.file("new")], { execArgv });
    expect([other.code, existsSync(home.file("new"))]).toEqual([1, false]);
  });

  it("loads no other package of this workspace for --help", () => {
    using home = tempHome();
    writeFileSync(home.file("hooks.mjs"), WITHOUT_WORKSPACE);
    const execArgv = ["--import", home.file("hooks.mjs")];
    expect(hermes(["sessions", "list", "--help"], { execArgv })).toMatchObject({ code: 0, stderr: "" });
    const run = hermes(["path"], { execArgv });
    expect([run.code, run.stderr.includes("loaded @hermes/")]).toEqual([1, true]);
  });
});
