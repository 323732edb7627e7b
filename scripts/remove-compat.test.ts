import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "./support/plant-tree.js";
import { treeFiles } from "./support/tree-files.mjs";

const MINUTE_MS = 60_000;
/** `whole`: the clone passes everything that a change must pass, which takes as long as that. */
const WHOLE = process.env["HERMES_REMOVAL"] === "whole";
const { packageManager: PNPM } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
  packageManager: string;
};

/** Tests of scripts that read the wiring. Those that read packages say the same as here: packages are the same. */
const CONCERNED = ["layer-rules", "lint-policy", "total-tests", "check-requirement-numbers", "check-tree-clean"];

/** Tests of the command that go through its whole program. Each verb of it is what it was, too. */
const WHOLE_COMMAND = ["version", "output", "exit-codes", "without-store", "main-job"];

let clone = "";

/** The clone knows nothing of this run: it reports to nobody, and needs no files beside it. */
const env = Object.fromEntries(
  ["PATH", "HOME", "TMPDIR", "LANG", "CI"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** What a program printed; it must end well. */
async function run(command: string, ...words: string[]): Promise<string> {
  const options = { cwd: clone, env, timeout: (WHOLE ? 60 : 10) * MINUTE_MS, maxBuffer: 1 << 28 };
  const ran = await new Promise<{ well: boolean; text: string }>((resolve) => {
    execFile(command, words, options, (error, stdout, stderr) => {
      resolve({ well: error === null, text: stdout + stderr });
    });
  });
  expect(ran.well, `${command} ${words.join(" ")}\n${ran.text.slice(-4000)}`).toBe(true);
  return ran.text;
}

const git = (...words: string[]): Promise<string> =>
  run("git", "-c", "user.name=test", "-c", "user.email=test@test", ...words);
const pnpm = (...words: string[]): Promise<string> => run("npx", "-y", PNPM, ...words);
const remove = (...words: string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, ["scripts/remove-compat.mjs", ...words], { cwd: clone, env, encoding: "utf8" });

/** What a package built: digests by name; undefined where nothing was built. */
function built(root: string, name: string): Record<string, string> | undefined {
  const folder = join(root, "packages", name, "dist");
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const digest = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
  const paths = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.endsWith(".tsbuildinfo"));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), digest(path)]));
}

beforeAll(async () => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), "without-compat-")));
  // Some tests run the command as a user of another id.
  chmodSync(clone, 0o755);
  for (const name of treeFiles(repositoryRoot)) cpSync(join(repositoryRoot, name), join(clone, name));
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "with the layer");
}, MINUTE_MS);

afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** Every other package is built byte by byte as with the layer: what its own tests say holds here as well. */
async function checkWhatChanged(): Promise<void> {
  await pnpm("run", "build");
  const others = readdirSync(join(clone, "packages")).filter((name) => name !== "state-cli");
  const same = others.filter((name) => built(repositoryRoot, name));
  expect(same).toContain("state-core");
  for (const name of same) expect(built(clone, name), name).toEqual(built(repositoryRoot, name));
  const command = (...words: string[]): Promise<string> => pnpm("--filter", "@hermes/state-cli", ...words);
  for (const gate of ["typecheck", "check:pkg"]) await command("run", gate);
  await command("exec", "eslint", "src/program.ts");
  await command("exec", "vitest", "run", ...WHOLE_COMMAND);
  for (const gate of ["lint:root", "deps", "knip", "docs:check", "check:tree"]) await pnpm("run", gate);
  await run("npx", "tsc", "-p", "tsconfig.json");
  await run("npx", "vitest", "run", "--dir", "scripts", ...CONCERNED);
}

describe("remove-compat", () => {
  it("CPT-07 says what it would do, and does nothing of it, with --dry-run", async () => {
    const told = remove("--dry-run");
    expect(told.status).toBe(0);
    expect(told.stdout).toContain("removed compat\n");
    expect(told.stdout).toContain("changed packages/state-cli/package.json\n");
    expect(await git("status", "--porcelain")).toBe("");
  });

  it.each([
    ["a line of the wiring is another one", "pnpm-workspace.yaml", '  - "compat"\n', '  - "./compat"\n'],
    ["a file of it is not there", "COMPAT_MANIFEST.md", null, null],
  ])("CPT-07 changes nothing when %s", async (_what, file, from, to) => {
    const before = readFileSync(join(clone, file), "utf8");
    if (from === null) rmSync(join(clone, file));
    else writeFileSync(join(clone, file), before.replace(from, to));
    const planted = await git("status", "--porcelain");
    const refused = remove();
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(file);
    expect(await git("status", "--porcelain")).toBe(planted);
    await git("checkout", "--quiet", "--", file);
  });

  it(
    "CPT-07 takes the layer out; what is left builds, passes and is linted; one revert brings it back",
    async () => {
      const removed = remove();
      expect(removed.status, String(removed.stderr)).toBe(0);
      await git("add", "--all");
      await git("commit", "--quiet", "--message", "without the layer");
      const naming = await git("grep", "--files-with-matches", "@hermes/compat", "--", ":!*.md");
      expect(naming.trim().split("\n")).toEqual([
        "scripts/check-compat-pointers.mjs",
        "scripts/lint-policy.test.ts",
        "scripts/lint/policy.js",
      ]);

      await pnpm("install", "--frozen-lockfile", "--prefer-offline");
      expect(await run("node", "scripts/check-compat-pointers.mjs")).toBe(
        "There is no compat layer: nothing to check.\n",
      );
      await (WHOLE ? pnpm("run", "check") : checkWhatChanged());
      expect(await git("status", "--porcelain")).toBe("");

      await git("revert", "--no-edit", "HEAD");
      expect(await git("diff", "HEAD~2", "--stat")).toBe("");
    },
    (WHOLE ? 60 : 15) * MINUTE_MS,
  );
});
