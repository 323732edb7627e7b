import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "./support/plant-tree.js";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
}

const packages = readdirSync(join(repositoryRoot, "packages")).map((folder) => {
  const manifest = readFileSync(join(repositoryRoot, "packages", folder, "package.json"), "utf8");
  return { folder, ...(JSON.parse(manifest) as Manifest) };
});
const shipped = packages.filter((one) => one.private !== true).map(({ name, folder }) => [name, folder] as const);

/** Runs a script in a package's folder, where its own name resolves to what it ships. */
function runIn(folder: string, script: string): { status: number | null; stdout: string; stderr: string } {
  const cwd = join(repositoryRoot, "packages", folder);
  const run = spawnSync(process.execPath, ["-e", script], { cwd, encoding: "utf8", timeout: 60_000 });
  return { status: run.status, stdout: run.stdout.trim(), stderr: run.stderr };
}

/** Every built entry gives the same objects to `import` and to `require`, quietly. */
const SAME = (name: string): string => `
const required = require(${JSON.stringify(name)});
import(${JSON.stringify(name)}).then((imported) => {
  const names = Object.keys(imported);
  console.log(names.length > 0 && names.every((key) => imported[key] === required[key]));
});`;

/**
 * Native code is loaded by the first open, never by an import. The environment is read by nobody but Node, and by the
 * colour library of the command, which asks about colours.
 */
const LIGHT = (name: string): string => `
const env = process.env;
const asked = new Set();
process.env = new Proxy(env, { get: (target, key) => (asked.add(String(key)), target[key]) });
require(${JSON.stringify(name)});
process.env = env;
const native = Object.keys(require.cache).filter((file) => /better-sqlite3|koffi|[.]node$/.test(file));
const reads = [...asked].filter((key) => !/^(NODE_|WATCH_|NO_COLOR|FORCE_COLOR|CI$|TERM$)/.test(key));
console.log(JSON.stringify({ native, reads }));`;

describe("the built packages", () => {
  it("are there", () => {
    expect(shipped.length).toBeGreaterThanOrEqual(5);
  });

  it.each(shipped)("%s gives the same objects to import and to require", (name, folder) => {
    expect(runIn(folder, SAME(name))).toEqual({ status: 0, stdout: "true", stderr: "" });
  });

  it.each(shipped)("%s loads no native code and reads no environment when it is imported", (name, folder) => {
    expect(JSON.parse(runIn(folder, LIGHT(name)).stdout)).toEqual({ native: [], reads: [] });
  });
});
