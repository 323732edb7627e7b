/**
 * Takes the compat layer out of the repository: its folder, its examples, what generates and checks it, the verb
 * `plugins compat`, and every line that wires it in (CPT-07). What is left builds, is tested and is linted as before;
 * `scripts/check-compat-pointers.mjs` stays and says that there is nothing to check. Commit the result as one commit:
 * reverting it brings the layer back.
 *
 * Nothing is changed when the wiring is not what this script knows: then it says which line is to be looked at.
 *
 * Usage: node scripts/remove-compat.mjs [--dry-run]
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = process.env.HERMES_COMPAT_ROOT ?? fileURLToPath(new URL("..", import.meta.url));
const PACKAGE = "@hermes/compat";

/** What belongs to the layer alone. */
const OWNED = [
  "compat",
  "COMPAT_MANIFEST.md",
  "examples/plugins",
  "scripts/compat",
  "scripts/generate-compat.mjs",
  "scripts/check-deprecations.mjs",
  "scripts/check-deprecations.test.ts",
  "scripts/check-compat-pointers.test.ts",
  "scripts/remove-compat.mjs",
  "scripts/remove-compat.test.ts",
  "packages/state-cli/src/verbs/plugins-compat.ts",
  "packages/state-cli/test/plugins-compat.test.ts",
];

/** Lines elsewhere that name it: what stands there, and what stands there without it. Each must be found. */
const WIRING = [
  ["package.json", /depcruise packages compat examples/, "depcruise packages examples"],
  ["package.json", / && node scripts\/generate-compat\.mjs(?: --check)?/g, ""],
  ["package.json", / && node scripts\/check-deprecations\.mjs/, ""],
  ["turbo.json", /, "@hermes\/compat#build"/, ""],
  ["turbo.json", /^ {4}"@hermes\/compat#test": .*\n/m, ""],
  ["pnpm-workspace.yaml", /^ {2}- "compat"\n/m, ""],
  ["knip.json", /^ {2}"ignoreDependencies": \["@hermes\/compat"\],\n/m, ""],
  ["knip.json", /^ {4}"compat": \{\n[^]*?^ {4}\},\n/m, ""],
  ["knip.json", /^ {4}"examples\/plugins": \{\n[^]*?^ {4}\},\n/m, ""],
  ["eslint.config.js", /\{packages\/\*,compat,examples\/\*\}/g, "{packages/*,examples/*}"],
  ["eslint.config.js", /\{packages\/\*,compat\}/g, "packages/*"],
  ["eslint.config.js", /^ {2}\{ files: \["compat\/.*\n/gm, ""],
  ["eslint.config.js", /"compat\/entries\/\*\*", /, ""],
  [".dependency-cruiser.cjs", /^ {6}\/\/ The plugins show what compat is for.*\n/m, ""],
  [
    ".dependency-cruiser.cjs",
    /from: \{ path: "\^examples\/", pathNot: "\^examples\/plugins\/" \}/,
    'from: { path: "^examples/" }',
  ],
  ["packages/state-cli/package.json", /^ {4}"@hermes\/compat": "workspace:\*",\n/m, ""],
  ["packages/state-cli/package.json", /,\n {2}"peerDependencies": \{\n {4}"@hermes\/compat"[^}]*\}/, ""],
  [
    "packages/state-cli/package.json",
    /,\n {2}"peerDependenciesMeta": \{\n {4}"@hermes\/compat": \{[^}]*\}\n {2}\}/,
    "",
  ],
  ["packages/state-cli/src/program.ts", /^ {2}addPlugins\(program, run\);\n/m, ""],
  [
    "packages/state-cli/src/program.ts",
    /^\/\*\* Verbs for authors of plugins\. \*\/\nfunction addPlugins[^]*?^\}\n\n/m,
    "",
  ],
  ["README.md", /^\| \[`@hermes\/compat`\].*\n/m, ""],
  ["README.md", /, doors for plugins\./, "."],
  ["README.md", / entry points for plugins, old and new;/, ""],
  ["CONTRIBUTING.md", /^\| `scripts\/(?:check-deprecations|remove-compat)\..*\n/gm, ""],
  ["CONTRIBUTING.md", /; the entry points of compat are what their manifest generates/, ""],
  ["docs/architecture.md", /^ {2}compat\[.*\n/m, ""],
  ["docs/architecture.md", /^ {2}plugins\[.*\n/m, ""],
  ["docs/architecture.md", /^\| `compat` \|.*\n/m, ""],
];

const CHANGESET = `---
"@hermes/state-cli": minor
---

\`hermes-state plugins compat\` is gone, together with \`${PACKAGE}\`: the day of its names has come.
`;

/** The changes of a pending changeset: undefined where it does not speak of the layer, null where of nothing else. */
function withoutLayer(text) {
  const line = new RegExp(`^"${PACKAGE}": \\w+\\n`, "m");
  if (!line.test(text)) return undefined;
  const rest = text.replace(line, "");
  return /^---\n---/.test(rest) ? null : rest;
}

/** Every file that changes, with its new text; null for one that goes. */
function plan() {
  const files = new Map();
  const problems = [];
  const textOf = (name) => files.get(name) ?? readFileSync(join(ROOT, name), "utf8");
  for (const [name, found, instead] of WIRING) {
    const before = textOf(name);
    const after = before.replace(found, instead);
    if (after === before) problems.push(`${name}: nothing matches ${found}`);
    files.set(name, after);
  }
  for (const name of OWNED) {
    if (existsSync(join(ROOT, name))) files.set(name, null);
    else problems.push(`${name} is not there`);
  }
  for (const name of readdirSync(join(ROOT, ".changeset")).filter((file) => file.endsWith(".md"))) {
    const rest = withoutLayer(textOf(`.changeset/${name}`));
    if (rest !== undefined) files.set(`.changeset/${name}`, rest);
  }
  files.set(".changeset/compat-removed.md", CHANGESET);
  return { files, problems };
}

/** The lock file is pnpm's own; it keeps every other version as it is. */
function relock() {
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const words = ["-y", packageManager, "install", "--lockfile-only", "--prefer-offline", "--ignore-scripts"];
  const run = spawnSync("npx", words, { cwd: ROOT, encoding: "utf8" });
  if (run.status !== 0) {
    console.error(`${run.stdout}${run.stderr}`);
    console.error(`The lock file is still the old one. Run: npx ${words.join(" ")}`);
  }
  return run.status === 0;
}

if (!existsSync(join(ROOT, "compat", "manifest.json"))) {
  console.log("There is no compat layer: nothing to remove.");
  process.exit(0);
}
const { files, problems } = plan();
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error("Nothing was changed. Bring OWNED and WIRING of scripts/remove-compat.mjs up to date.");
  process.exit(1);
}
const dryRun = process.argv.includes("--dry-run");
for (const [name, text] of files) {
  console.log(`${text === null ? "removed" : "changed"} ${name}`);
  if (dryRun) continue;
  if (text === null) rmSync(join(ROOT, name), { recursive: true });
  else writeFileSync(join(ROOT, name), text);
}
if (!dryRun && !relock()) process.exit(1);
