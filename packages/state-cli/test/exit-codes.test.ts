import { writeFileSync } from "node:fs";
import { spawnNode, type TempHome, tempHome } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exitCodeOf } from "../src/errors/exit-code.js";
import { commandPath, fillHome, hermes } from "./support.js";

let home: TempHome;

beforeAll(() => {
  home = tempHome();
  fillHome(home.path);
  hermes(["sessions", "create", "--home", home.path, "--id", "s2", "--source", "cli"]);
  writeFileSync(home.file("broken.jsonl"), '{"id":"a","messages":[{"ro');
  writeFileSync(home.file("text.db"), "this is no database at all ".repeat(100));
});
afterAll(() => home[Symbol.dispose]());

describe("exit codes", () => {
  it.each<[string, number, readonly string[]]>([
    ["done", 0, ["sessions", "list"]],
    ["asked for help", 0, ["--help"]],
    ["asked for the version", 0, ["--version"]],
    ["refused by --readonly", 1, ["sessions", "create", "--id", "x", "--source", "cli", "--readonly"]],
    ["refused: the session exists", 1, ["sessions", "create", "--id", "s1", "--source", "cli"]],
    ["refused: a mode that is not there yet", 1, ["import", "HOME/broken.jsonl", "--mode", "merge"]],
    ["failed: a broken file", 1, ["import", "HOME/broken.jsonl"]],
    ["usage: nothing", 2, []],
    ["usage: an unknown command", 2, ["sesions"]],
    ["usage: an unknown verb", 2, ["sessions", "lst"]],
    ["usage: a misspelt option", 2, ["sessions", "list", "--limt", "3"]],
    ["usage: a limit that is no number", 2, ["sessions", "list", "--limit", "many"]],
    ["usage: an unknown choice", 2, ["export", "--format", "csv"]],
    ["usage: a missing argument", 2, ["search"]],
    ["usage: a missing option", 2, ["sessions", "create", "--id", "x"]],
    ["usage: options that exclude each other", 2, ["sessions", "list", "--archived", "--all"]],
    ["usage: nothing to append", 2, ["sessions", "append", "s1"]],
    ["not found: a session", 3, ["sessions", "show", "nope"]],
    ["not found: an ambiguous prefix", 3, ["sessions", "show", "s"]],
    ["not found: a parent", 3, ["sessions", "create", "--id", "x", "--source", "cli", "--parent", "nope"]],
    ["not found: a store named by --db", 3, ["sessions", "list", "--db", "HOME/none.db"]],
    ["not found: a file to import", 3, ["import", "HOME/none.jsonl"]],
    ["corrupt: a file that is no database", 5, ["sessions", "list", "--db", "HOME/text.db"]],
  ])("ends with %s as %i", (_what, code, words) => {
    const given = words.map((word) => word.replace("HOME", home.path));
    const run = hermes(words.length > 0 ? [...given, "--home", home.path] : []);
    expect(run, run.stderr).toMatchObject({ code });
    if (code === 0) expect(run.stderr).toBe("");
    else expect([run.stdout, run.stderr.includes("    at ")]).toEqual(["", false]);
  });

  it("ends a busy store as 4 and an interrupted run as 130", () => {
    expect(["STATE_E_BUSY", "STATE_E_ABORTED", "STATE_E_CORRUPT", "STATE_E_WHATEVER"].map(exitCodeOf)).toEqual([
      4, 130, 5, 1,
    ]);
  });

  it("ends an import that Ctrl-C stops with 130, and leaves nothing half-done", async () => {
    using home = tempHome();
    await using child = spawnNode(commandPath(), ["import", "-", "--from", "peer", "--home", home.path], {
      timeout: 30_000,
    });
    child.send('{"id":"a","messages":[]}');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    child.kill("SIGINT");
    const end = await child.exit;
    expect([end.code, end.stdout]).toEqual([130, ""]);
    expect(hermes(["sessions", "list", "--home", home.path, "--jsonl"]).stdout).toBe("");
  });

  it("suggests the nearest command and option", () => {
    expect(hermes(["sessions", "lst"]).stderr).toContain("list");
    expect(hermes(["sessions", "list", "--limt", "3"]).stderr).toContain("--limit");
    expect(hermes(["statsu"]).stderr).toContain("status");
  });

  it("tells errors as one JSON document on standard error with --json, and nothing on standard output", () => {
    using home = tempHome();
    for (const [words, code] of [
      [["sessions", "show", "nope"], "STATE_E_SESSION_NOT_FOUND"],
      [["sessions", "list", "--limt", "3"], "STATE_E_USAGE"],
      [["sessions", "list", "--db", home.file("none.db")], "STATE_E_STORE_MISSING"],
    ] as const) {
      const run = hermes([...words, "--home", home.path, "--json"]);
      expect(run.stdout).toBe("");
      const document = JSON.parse(run.stderr) as { error: { code: string; message: string } };
      expect(document.error).toMatchObject({ code, message: expect.any(String) as string });
    }
  });

  it("shows a stack trace only with --debug", () => {
    using home = tempHome();
    const words = ["sessions", "show", "nope", "--home", home.path];
    expect(hermes(words).stderr).not.toMatch(/^ {4}at /m);
    expect(hermes([...words, "--debug"]).stderr).toMatch(/^ {4}at /m);
  });
});
