import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { spawnNode, tempDir, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { childScript } from "./worker.js";

interface Outcome {
  readonly path?: string;
  readonly sessions?: number;
  readonly error?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** What `children/open-default.mjs` says, started by this runner: the runner itself is evidence of a test. */
async function openDefault(env: Env, options: { cwd?: string; path?: string } = {}): Promise<Outcome> {
  const { path, ...rest } = options;
  await using child = spawnNode(childScript("open-default.mjs"), path === undefined ? [] : [path], { env, ...rest });
  const end = await child.exit;
  expect(end.stderr).toBe("");
  return JSON.parse(end.stdout) as Outcome;
}

/** What it says as a process that no test runner stands above: its parent is gone before it looks. */
async function openOrphaned(env: Env, scripts = [childScript("open-default.mjs")]): Promise<Outcome> {
  using dir = tempDir("orphan");
  const result = dir.file("result");
  await using parent = spawnNode(childScript("start-orphan.mjs"), [result, ...scripts], { env });
  expect(await parent.exit).toMatchObject({ code: 0, stderr: "" });
  for (let waits = 0; waits < 200 && !existsSync(result); waits++) await setTimeout(50);
  return JSON.parse(readFileSync(result, "utf8")) as Outcome;
}

describe("the default store", () => {
  it("P30 COR-12 follows HERMES_HOME when the call runs, and leaves the real home untouched", async () => {
    using home = tempHome();
    using other = tempHome();
    const env = { HOME: home.path, HERMES_HOME_LATER: `${other.path}/` };
    expect(await openDefault(env)).toEqual({ path: other.statePath, sessions: 3 });
    expect(readdirSync(home.path)).toEqual([]);
  });

  it("P30 COR-12 reads relative, tilde and nested homes; unset is the real home", async () => {
    using home = tempHome();
    using cwd = tempHome();
    const env = { HOME: home.path, HERMES_STATE_DB_GUARD_BYPASS: "1" };
    const at = async (later: string | undefined): Promise<string | undefined> =>
      (await openDefault({ ...env, HERMES_HOME_LATER: later }, { cwd: cwd.path })).path;
    expect(await at("rel/home")).toBe(`${cwd.path}/rel/home/state.db`);
    expect(await at("~/tilde")).toBe(`${home.path}/tilde/state.db`);
    expect(await at(`${home.path}/.hermes/worktrees/one`)).toBe(`${home.path}/.hermes/worktrees/one/state.db`);
    expect(await at(undefined)).toBe(`${home.path}/.hermes/state.db`);
  });

  it.each([
    ["HERMES_TEST_ISOLATION", "1"],
    ["PYTEST_CURRENT_TEST", "a.py::b"],
    ["PYTEST_VERSION", "8"],
    ["VITEST", "true"],
    ["NODE_TEST_CONTEXT", "child-v8"],
  ])("P30 COR-12 refuses the real home under %s before anything is created", async (name, value) => {
    using home = tempHome();
    expect(await openOrphaned({ HOME: home.path, [name]: value })).toEqual({ error: "STATE_E_TEST_ISOLATION" });
    expect(readdirSync(home.path)).toEqual([]);
    const bypass = { HERMES_STATE_DB_GUARD_BYPASS: "1" };
    expect(await openOrphaned({ HOME: home.path, [name]: value, ...bypass })).toMatchObject({ sessions: 3 });
  });

  it("P30 COR-12 opens the real home where nothing speaks of a test", async () => {
    using home = tempHome();
    expect(await openOrphaned({ HOME: home.path })).toEqual({ path: `${home.path}/.hermes/state.db`, sessions: 3 });
  });

  it("P30 COR-12 refuses the real home of a reader and of another spelling, a symlink to it included", async () => {
    using home = tempHome();
    using links = tempHome();
    const env = { HOME: home.path, HERMES_TEST_ISOLATION: "1" };
    mkdirSync(`${home.path}/.hermes`);
    symlinkSync(`${home.path}/.hermes`, links.file("folder"));
    symlinkSync(`${home.path}/.hermes/state.db`, links.file("file.db"));
    for (const path of [
      `${home.path}/x/../.hermes/state.db`,
      links.file("folder/state.db"),
      links.file("file.db"),
      `${home.path}/.hermes/profiles/p/state.db`,
    ]) {
      expect([path, (await openDefault(env, { path })).error]).toEqual([path, "STATE_E_TEST_ISOLATION"]);
    }
    expect(existsSync(`${home.path}/.hermes/state.db`)).toBe(false);
    expect(readdirSync(`${home.path}/.hermes`)).toEqual([]);
  });

  it("P30 COR-12 leaves a temporary home alone although the markers are set", async () => {
    using home = tempHome();
    using other = tempHome();
    const env = { HOME: home.path, HERMES_TEST_ISOLATION: "1", HERMES_HOME_LATER: other.path };
    expect(await openDefault(env)).toEqual({ path: other.statePath, sessions: 3 });
  });

  it("P30 COR-12 recognises a runner among the ancestors of a child without markers", async () => {
    using home = tempHome();
    const scripts = [childScript("pytest"), childScript("open-default.mjs")];
    expect(await openOrphaned({ HOME: home.path }, scripts)).toEqual({ error: "STATE_E_TEST_ISOLATION" });
    expect(await openDefault({ HOME: home.path })).toEqual({ error: "STATE_E_TEST_ISOLATION" });
    expect(readdirSync(home.path)).toEqual([]);
  });
});
