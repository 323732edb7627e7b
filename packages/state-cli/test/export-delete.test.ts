import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { childEnvironment, fileHash, tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { commandPath, hermes, hermesJson } from "./support.js";

/** A conversation in two segments with a delegate, a branch of it, and another one; some of it is large. */
function fill(path: string): void {
  using store = openStateStore({ path });
  const make = (id: string, fields: object = {}): void => {
    store.sessions.create({ id, source: "cli", ...fields });
    store.messages.append(id, { role: "user", content: `words of ${id}` });
  };
  make("root", { title: "The trip" });
  store.sessions.end("root", "compression");
  make("tip", { parentSessionId: "root" });
  make("helper", { parentSessionId: "tip", source: "subagent", modelConfig: { _delegate_from: "tip" } });
  make("branch", { parentSessionId: "tip", modelConfig: { _branched_from: "tip" } });
  make("other");
  store.messages.append("other", { role: "user", content: "x".repeat(200_000) });
}

function idsIn(path: string): string[] {
  using store = openStateStore({ path, mode: "read" });
  return store.read((r) => r.tuples<[string]>("SELECT id FROM sessions ORDER BY id")).map(([id]) => id);
}

const ALL = ["branch", "helper", "other", "root", "tip"];

function error(home: TempHome, words: readonly string[]): { code: string; exit: number | null; stdout: string } {
  const run = hermes(["export", ...words, "--home", home.path, "--json"]);
  const { code } = (JSON.parse(run.stderr) as { error: { code: string } }).error;
  return { code, exit: run.code, stdout: run.stdout };
}

describe("export --delete-after-verified", () => {
  it("POR-08 shows with --dry-run what goes, asks for --yes, and moves exactly that out of the store", () => {
    using home = tempHome();
    fill(home.statePath);
    const out = home.file("out.jsonl");
    const words = [out, "--session", "The trip", "--lineage", "logical", "--delete-after-verified"];
    const plan = hermesJson<{ sessions: { id: string }[] }>(["export", ...words, "--dry-run", "--home", home.path]);
    const going = ["helper", "root", "tip"];
    expect(plan).toMatchObject({ deletes: true, file: out });
    expect(plan.sessions.map(({ id }) => id).sort()).toEqual(going);
    expect(error(home, words)).toEqual({ code: "STATE_E_NOT_CONFIRMED", exit: 1, stdout: "" });
    expect({ out: existsSync(out), ids: idsIn(home.statePath) }).toEqual({ out: false, ids: ALL });
    const report = hermesJson(["export", ...words, "--yes", "--home", home.path]);
    expect(report).toMatchObject({ file: out, sessions: 3, messages: 3, sha256: fileHash(out), written: true });
    expect(idsIn(home.statePath)).toEqual(["branch", "other"]);
    expect(hermesJson(["import", out, "--home", home.path])).toMatchObject({ imported: 3, detached: 0 });
    expect(idsIn(home.statePath)).toEqual(ALL);
    const shown = hermes(["sessions", "show", "tip", "--home", home.path]);
    expect(shown.stdout).toContain("words of tip");
  });

  it("POR-08 refuses every way in which something could be lost, and deletes nothing", () => {
    using home = tempHome();
    fill(home.statePath);
    const out = home.file("out.jsonl");
    const all = ["--session", "tip", "--delete-after-verified", "--yes"];
    const refusals: [string, number, string[]][] = [
      ["STATE_E_EXPORT_LOSSY", 1, [out, "--format", "md", ...all]],
      ["STATE_E_EXPORT_LOSSY", 1, [out, "--format", "peer-jsonl", ...all]],
      ["STATE_E_EXPORT_LOSSY", 1, [out, "--redact", ...all]],
      ["STATE_E_EXPORT_TARGET", 1, ["-", ...all]],
      ["STATE_E_EXPORT_TARGET", 1, all],
      ["STATE_E_EXPORT_TARGET", 1, [home.path, ...all]],
      ["STATE_E_EXPORT_TARGET", 1, ["/dev/null", ...all]],
      ["STATE_E_EXPORT_TARGET", 1, [home.statePath, ...all]],
      ["STATE_E_EXPORT_TARGET", 1, [home.file("no/such/folder.jsonl"), ...all]],
      ["STATE_E_USAGE", 2, [out, "--delete-after-verified", "--yes"]],
      ["STATE_E_USAGE", 2, [out, "--source", "cli", ...all]],
      ["STATE_E_SESSION_NOT_FOUND", 3, [out, ...all, "--session", "nobody"]],
      ["STATE_E_READONLY", 1, [out, ...all, "--readonly"]],
    ];
    for (const [code, exit, words] of refusals) {
      expect({ words, ...error(home, words) }).toEqual({ words, code, exit, stdout: "" });
    }
    expect({ out: existsSync(out), ids: idsIn(home.statePath) }).toEqual({ out: false, ids: ALL });
    {
      using store = openStateStore({ path: home.statePath });
      const lease = store.leases.acquire("turn", "root");
      expect(error(home, [out, ...all])).toEqual({ code: "STATE_E_SESSION_IN_USE", exit: 4, stdout: "" });
      store.leases.release(lease!);
    }
    expect(hermes(["export", out, ...all, "--home", home.path]).code).toBe(0);
    // The file is the only copy now: not even --yes overwrites it.
    const hash = fileHash(out);
    const again = [out, "--session", "other", "--delete-after-verified", "--yes"];
    expect(error(home, again)).toEqual({ code: "STATE_E_EXPORT_TARGET", exit: 1, stdout: "" });
    expect({ hash: fileHash(out), ids: idsIn(home.statePath) }).toEqual({ hash, ids: ["branch", "other", "root"] });
  });

  it("POR-08 deletes nothing when the disk is full or the folder takes no file", () => {
    using home = tempHome();
    fill(home.statePath);
    const before = idsIn(home.statePath);
    const full = spawnSync(
      "bash",
      ["-c", 'ulimit -f 128; exec "$0" "$@"', process.execPath, commandPath()].concat([
        ...["export", home.file("out.jsonl"), "--session", "other", "--delete-after-verified", "--yes"],
        ...["--home", home.path, "--json"],
      ]),
      { encoding: "utf8", timeout: 60_000, env: childEnvironment() },
    );
    expect({ status: full.status, stdout: full.stdout }).toEqual({ status: 1, stdout: "" });
    expect(JSON.parse(full.stderr)).toMatchObject({
      error: { code: "STATE_E_EXPORT_TARGET", reason: "does not fit (EFBIG)" },
    });
    expect(readdirSync(home.path).filter((name) => name.includes("out.jsonl"))).toEqual([]);
    expect(error(home, ["/proc/out.jsonl", "--session", "other", "--delete-after-verified", "--yes"])).toMatchObject({
      code: "STATE_E_EXPORT_TARGET",
      exit: 1,
    });
    expect(idsIn(home.statePath)).toEqual(before);
  });

  it("POR-08 exports a lineage and a tree, and tells with --dry-run which sessions that is", () => {
    using home = tempHome();
    fill(home.statePath);
    const ids = (words: readonly string[]): string[] =>
      hermesJson<{ sessions: { id: string }[] }>(["export", ...words, "--dry-run", "--home", home.path])
        .sessions.map(({ id }) => id)
        .sort();
    expect(ids(["--session", "tip"])).toEqual(["tip"]);
    expect(ids(["--session", "tip", "--lineage", "logical"])).toEqual(["root", "tip"]);
    expect(ids(["--session", "helper", "--lineage", "tree"])).toEqual(["branch", "helper", "root", "tip"]);
    expect(ids(["--source", "subagent"])).toEqual(["helper"]);
    expect(ids([])).toEqual(ALL);
    const out = home.file("tree.jsonl");
    expect(hermes(["export", out, "--session", "root", "--lineage", "tree", "--home", home.path]).code).toBe(0);
    expect(hermesJson(["import", out, "--db", home.file("b.db")])).toMatchObject({ imported: 4, detached: 0 });
    expect(idsIn(home.file("b.db"))).toEqual(["branch", "helper", "root", "tip"]);
    expect(readFileSync(out, "utf8").split("\n").length).toBe(11);
  });
});
