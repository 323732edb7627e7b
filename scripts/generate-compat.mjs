/**
 * Writes what follows from compat/manifest.json: the entry points of both module systems with their types, the exports
 * of the package, COMPAT_MANIFEST.md and the pages of the deprecations; or checks that they are what the manifest says
 * (CPT-01, CPT-08).
 *
 * Usage: node scripts/generate-compat.mjs [--check]
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cjsFace, esmFace, types } from "./compat/faces.mjs";
import { checkManifest, entriesOf, readManifest } from "./compat/manifest.mjs";
import { deprecationPages, manifestPage } from "./compat/pages.mjs";

const ROOT = process.env.HERMES_COMPAT_ROOT ?? fileURLToPath(new URL("..", import.meta.url));
const LAYER = join(ROOT, "compat");
const GENERATED_FOLDERS = ["compat/entries", "compat/docs/deprecations"];

/** Entry points that are written by hand: `@hermes/compat/<name>` with its module in dist. */
const OWN_EXPORTS = ["cli", "eslint", "host", "register"];

function exportsOf(entries) {
  const subpath = (entry) => {
    const side = (types, file) => ({ types: `./entries/${entry}.${types}`, default: `./entries/${entry}.${file}` });
    return [`./${entry}`, { import: side("d.mts", "mjs"), require: side("d.cts", "cjs") }];
  };
  const own = OWN_EXPORTS.filter((name) => existsSync(join(LAYER, "src", name, "index.ts"))).map((name) => [
    `./${name}`,
    { types: `./dist/${name}/index.d.ts`, default: `./dist/${name}/index.js` },
  ]);
  const plain = [
    ["./manifest.json", "./manifest.json"],
    ["./package.json", "./package.json"],
  ];
  return Object.fromEntries([...[...entries.keys()].map(subpath), ...own, ...plain]);
}

function packageJson(entries) {
  const current = JSON.parse(readFileSync(join(LAYER, "package.json"), "utf8"));
  return `${JSON.stringify({ ...current, exports: exportsOf(entries) }, null, 2)}\n`;
}

function filesFor(records) {
  const files = new Map();
  const entries = entriesOf(records);
  for (const [entry, names] of entries) {
    files.set(`compat/entries/${entry}.mjs`, esmFace(entry, names));
    files.set(`compat/entries/${entry}.cjs`, cjsFace(entry, names));
    files.set(`compat/entries/${entry}.d.mts`, types(entry, names, false));
    files.set(`compat/entries/${entry}.d.cts`, types(entry, names, true));
  }
  files.set("compat/package.json", packageJson(entries));
  files.set("COMPAT_MANIFEST.md", manifestPage(records));
  for (const [name, page] of deprecationPages(records)) files.set(`compat/docs/deprecations/${name}`, page);
  return files;
}

function generatedFiles() {
  return GENERATED_FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
  );
}

function drift(files) {
  const differs = [...files].filter(([path, text]) => {
    const full = join(ROOT, path);
    return !existsSync(full) || readFileSync(full, "utf8") !== text;
  });
  const extra = generatedFiles().filter((path) => !files.has(path));
  const wrong = differs.map(([path]) => `${path} is not what the manifest says`);
  return [...wrong, ...extra.map((path) => `${path} is of no entry point`)];
}

function write(files) {
  for (const path of generatedFiles()) if (!files.has(path)) rmSync(join(ROOT, path));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}

function fail(lines) {
  for (const line of lines) console.error(line);
  process.exit(1);
}

if (!existsSync(join(LAYER, "manifest.json"))) {
  console.log("There is no compat layer: nothing to generate.");
  process.exit(0);
}
const records = readManifest(join(LAYER, "manifest.json"));
const problems = checkManifest(records);
if (problems.length > 0) fail(problems);
const files = filesFor(records);
if (process.argv.includes("--check")) {
  const found = drift(files);
  if (found.length > 0) fail([...found, "Run: node scripts/generate-compat.mjs"]);
} else {
  write(files);
}
