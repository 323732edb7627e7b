import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultStatePath } from "../src/config/default-state-path.js";
import { guardTestIsolation } from "../src/config/isolation-guard.js";
import type { GuardSurroundings } from "../src/config/isolation-guard.js";
import type { ProcessEntry } from "../src/config/process-ancestry.js";
import { isStateError } from "../src/errors/state-error.js";

const HOME = "/home/someone";

const PLACES = {
  temp: { path: "/tmp/x/state.db", real: false },
  root: { path: `${HOME}/.hermes/state.db`, real: true },
  profile: { path: `${HOME}/.hermes/profiles/work/state.db`, real: true },
  nestedInRoot: { path: `${HOME}/.hermes/worktrees/a/b/state.db`, real: false },
  deepUnderProfile: { path: `${HOME}/.hermes/profiles/work/tmp/state.db`, real: false },
  sibling: { path: `${HOME}/.hermes-other/state.db`, real: false },
  unnormalised: { path: `${HOME}/x/../.hermes/./state.db`, real: true },
  secondHome: { path: "/home/ada/.hermes/state.db", real: true },
} as const;

interface Context {
  readonly env?: Readonly<Record<string, string>>;
  /** Argument lists of the process and its ancestors, nearest first; null cannot be read. */
  readonly ancestry?: readonly (readonly string[] | null)[];
  readonly test: boolean;
}

const CONTEXTS: Readonly<Record<string, Context>> = {
  nothing: { test: false },
  emptyMarker: { env: { HERMES_TEST_ISOLATION: "" }, test: false },
  isolationMarker: { env: { HERMES_TEST_ISOLATION: "1" }, test: true },
  pytestCurrent: { env: { PYTEST_CURRENT_TEST: "a.py::b (call)" }, test: true },
  pytestVersion: { env: { PYTEST_VERSION: "8.0" }, test: true },
  ownRunner: { env: { VITEST: "true" }, test: true },
  nodeTest: { env: { NODE_TEST_CONTEXT: "child-v8" }, test: true },
  pytestAncestor: { ancestry: [["node", "x.js"], ["bash"], ["/usr/bin/python3", "/usr/bin/pytest", "-q"]], test: true },
  windowsAncestor: { ancestry: [["node"], ["C:\\Python\\Scripts\\pytest.exe", "tests"]], test: true },
  dottedAncestor: { ancestry: [["node"], ["py.test"]], test: true },
  similarWord: { ancestry: [["node"], ["vim", "pytest.ini"], ["/opt/pytest/bin/run"]], test: false },
  ownArguments: { ancestry: [["node", "pytest"], ["bash"]], test: false },
  unreadable: { ancestry: [["node"], null, ["bash"]], test: false },
  beyondUnreadable: { ancestry: [["node"], null, ["pytest"]], test: true },
};

const BYPASSES: readonly (string | undefined)[] = [undefined, "", "0", "true", "1 ", "01", "1"];

function surroundings(context: Context, bypass: string | undefined): GuardSurroundings {
  const env = { ...context.env, ...(bypass === undefined ? {} : { HERMES_STATE_DB_GUARD_BYPASS: bypass }) };
  const ancestry = context.ancestry ?? [["node"], ["bash"]];
  return {
    env: (name) => (env as Record<string, string | undefined>)[name],
    homes: [HOME, "/home/ada"],
    pid: 1000,
    readProcess: (pid): ProcessEntry | undefined => {
      const index = 1000 - pid;
      const argv = ancestry[index];
      if (argv === undefined) return undefined;
      return { parent: index + 1 < ancestry.length ? pid - 1 : 0, argv: argv ?? undefined };
    },
  };
}

function isRefused(path: string, around: GuardSurroundings): boolean {
  try {
    guardTestIsolation(path, around);
    return false;
  } catch (error) {
    expect(isStateError(error, "STATE_E_TEST_ISOLATION")).toBe(true);
    return true;
  }
}

describe("test-isolation guard", () => {
  for (const [contextName, context] of Object.entries(CONTEXTS)) {
    it(`COR-12 P30 T22 ${contextName}: refuses exactly the real home's stores of a test without the bypass`, () => {
      for (const [placeName, place] of Object.entries(PLACES)) {
        for (const bypass of BYPASSES) {
          const expected = context.test && place.real && bypass !== "1";
          const refused = isRefused(place.path, surroundings(context, bypass));
          expect(refused, `${placeName}, bypass ${String(bypass)}`).toBe(expected);
        }
      }
    });
  }

  it("COR-12 takes an ancestor that vanished for no evidence, and ends on a cycle of parents", () => {
    const around = surroundings({ test: false }, undefined);
    const cyclic = { ...around, readProcess: (pid: number): ProcessEntry => ({ parent: pid, argv: ["bash"] }) };
    expect(isRefused(PLACES.root.path, cyclic)).toBe(false);
    expect(isRefused(PLACES.root.path, { ...around, readProcess: () => undefined })).toBe(false);
  });
});

describe("default path", () => {
  function withHermesHome<T>(value: string | undefined, fn: () => T): T {
    const before = process.env["HERMES_HOME"];
    if (value === undefined) delete process.env["HERMES_HOME"];
    else process.env["HERMES_HOME"] = value;
    try {
      return fn();
    } finally {
      if (before === undefined) delete process.env["HERMES_HOME"];
      else process.env["HERMES_HOME"] = before;
    }
  }

  const home = process.env["HOME"] ?? "/";

  it.each([
    ["/tmp/h4-home", "/tmp/h4-home/state.db"],
    ["/tmp/h4-home/", "/tmp/h4-home/state.db"],
    ["/tmp/h4-home//", "/tmp/h4-home/state.db"],
    ["relative/home", join(process.cwd(), "relative/home/state.db")],
    ["~", join(home, "state.db")],
    ["~/nested", join(home, "nested/state.db")],
    [undefined, join(home, ".hermes/state.db")],
    ["", join(home, ".hermes/state.db")],
  ])("P30 COR-12 computes it when asked: HERMES_HOME=%s gives %s", (value, expected) => {
    expect(withHermesHome(value, () => defaultStatePath())).toBe(expected);
  });

  it("P30 COR-12 prefers the home that the caller names", () => {
    expect(withHermesHome("/tmp/env-home", () => defaultStatePath("/tmp/own"))).toBe("/tmp/own/state.db");
  });
});
