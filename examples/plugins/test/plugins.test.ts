import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, repoRoot, tempDir, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";

const EXAMPLE = join(repoRoot(), "examples", "plugins");
const COMMAND = join(repoRoot(), "packages", "state-cli", "dist", "cli.js");
const PLUGINS = readdirSync(join(EXAMPLE, "before"));

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function node(words: readonly string[], home: string, env: Readonly<Record<string, string>> = {}): Ran {
  const run = spawnSync(process.execPath, words, {
    cwd: EXAMPLE,
    encoding: "utf8",
    timeout: 60_000,
    env: childEnvironment({ HOME: home, HERMES_HOME: home, ...env }),
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** What a plugin's folder holds: text by name. */
function texts(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** What the plugins of a folder say on a store of their own, and the warnings. */
function host(folder: "before" | "after", env: Readonly<Record<string, string>> = {}): { lines: string[] } & Ran {
  using home = tempHome();
  const run = node(
    ["--import", "@hermes/compat/register", "host.mjs", folder, join(home.path, "state.db")],
    home.path,
    env,
  );
  return { ...run, lines: run.stdout.split("\n").filter((line) => line.startsWith("  ")) };
}

const codesIn = (stderr: string): string[] =>
  [...stderr.matchAll(/\[(HSC\d{4})\] HermesCompatWarning/g)].map(([, code]) => String(code)).sort();

describe("example plugins", () => {
  it.each(PLUGINS)("CPT-06 --fix makes of %s exactly its twin, and nothing more the second time", (name) => {
    using dir = tempDir();
    using home = tempHome();
    const copy = join(dir.path, name);
    cpSync(join(EXAMPLE, "before", name), copy, { recursive: true });
    const compat = (...words: string[]): Ran => node([COMMAND, "plugins", "compat", copy, ...words], home.path);

    expect(compat().code).toBe(1);
    expect(texts(copy)).toEqual(texts(join(EXAMPLE, "before", name)));
    expect(compat("--fix").code).toBe(0);
    expect(texts(copy)).toEqual(texts(join(EXAMPLE, "after", name)));
    const again = JSON.parse(compat("--fix", "--json").stdout) as { fixed: string[]; hits: unknown[] };
    expect(again).toMatchObject({ fixed: [], hits: [] });
    expect(texts(copy)).toEqual(texts(join(EXAMPLE, "after", name)));
  });

  it("CPT-06 CPT-07 both do the same; only the old ones are told of, name by name", () => {
    const before = host("before");
    const after = host("after");
    expect([before.code, after.code]).toEqual([0, 0]);
    expect(before.lines).toEqual(after.lines);
    expect(before.lines).toContain("  messages: 1");
    expect(before.stdout).toContain("session-notes: notice, uses 6 import paths");
    expect(before.stdout).toContain("store-report: notice, uses 4 import paths");
    expect(after.stdout).toMatch(/^session-notes: loaded$/m);
    expect(after.stdout).toMatch(/^store-report: loaded$/m);
    expect(codesIn(before.stderr)).toEqual(
      [
        "HSC0021",
        "HSC0022",
        "HSC0038",
        "HSC0039",
        "HSC0063",
        "HSC0096",
        "HSC0022",
        "HSC0034",
        "HSC0039",
        "HSC0097",
      ].sort(),
    );
    expect(after.stderr).toBe("");
  });

  it("CPT-04 a warning names the plugin, its file and its line", () => {
    const { stderr } = host("before");
    expect(stderr).toMatch(/Used by hermes-plugin-store-report at \S*before\/store-report\/index\.cjs:4/);
    expect(stderr).toMatch(/Used by hermes-plugin-session-notes at \S*before\/session-notes\/index\.mjs:3/);
  });

  it("CPT-04 may be told to be silent", () => {
    const silent = host("before", { HERMES_STATE_COMPAT: "silent" });
    expect(silent).toMatchObject({ code: 0, stderr: "" });
  });
});
