/**
 * Fails when a record of compat/manifest.json changed without a changeset that names its code, when a day of removal
 * has come, when a test or an anchor that a record names is missing, or when a status goes backwards (CPT-08).
 *
 * compat/released.json holds the records as they were last released; `--release` writes it, after `changeset version`.
 *
 * Usage: node scripts/check-deprecations.mjs [--release]
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkDeprecations } from "./compat/deprecations.mjs";
import { readManifest } from "./compat/manifest.mjs";

const ROOT = process.env.HERMES_COMPAT_ROOT ?? fileURLToPath(new URL("..", import.meta.url));
const MANIFEST = join(ROOT, "compat", "manifest.json");
const RELEASED = join(ROOT, "compat", "released.json");
const PAGES = join(ROOT, "compat", "docs", "deprecations");
const CHANGESETS = join(ROOT, ".changeset");

function texts(folder) {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md");
  return names.map((name) => readFileSync(join(folder, name), "utf8"));
}

function anchorsOf(pages) {
  return new Set(pages.flatMap((text) => [...text.matchAll(/<a id="(hsc\d{4})">/g)].map(([, id]) => id.toUpperCase())));
}

if (!existsSync(MANIFEST)) {
  console.log("There is no compat layer: nothing to check.");
  process.exit(0);
}
const records = readManifest(MANIFEST);
if (process.argv.includes("--release")) {
  writeFileSync(RELEASED, `${JSON.stringify({ records }, null, 2)}\n`);
  process.exit(0);
}
const problems = checkDeprecations({
  records,
  released: existsSync(RELEASED) ? readManifest(RELEASED) : [],
  changesets: texts(CHANGESETS),
  today: process.env.HERMES_COMPAT_TODAY ?? new Date().toISOString().slice(0, 10),
  exists: (file) => existsSync(join(ROOT, file)),
  anchors: anchorsOf(texts(PAGES)),
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${records.length} names: every change is told.`);
