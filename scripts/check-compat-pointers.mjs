/**
 * Fails where the tree itself uses the compat layer: in sources and tests, in a package.json, in paths of a tsconfig,
 * in the code blocks of documents. While nothing does, the layer can leave in one step (CPT-05).
 *
 * Usage: node scripts/check-compat-pointers.mjs [folder]. Build the packages first.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
const PACKAGE = "@hermes/compat";
const SKIPPED = new Set(["node_modules", "dist", "coverage", "build"]);
/** The layer itself, its examples, what makes it and what checks it speak of its names. */
const OWN = [
  "compat",
  "examples/plugins",
  "scripts/compat",
  "scripts/generate-compat.mjs",
  "scripts/check-compat-pointers.mjs",
  "scripts/check-deprecations.mjs",
  "scripts/remove-compat.mjs",
  "scripts/remove-compat.test.ts",
  "COMPAT_MANIFEST.md",
  ".changeset",
];
/** The command knows the layer by its name alone, and says so when it is gone. */
const WIRING = new Set(["packages/state-cli/src/verbs/plugins-compat.ts"]);
/** Fields of a package.json that only make the layer installable beside the command. */
const ALLOWED_FIELDS = {
  "packages/state-cli/package.json": ["devDependencies", "peerDependencies", "peerDependenciesMeta"],
};

const isOwn = (path) => OWN.some((own) => path === own || path.startsWith(`${own}/`));

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const name = relative(ROOT, path).split(sep).join("/");
    if (entry.isDirectory()) {
      if (!entry.name.startsWith(".") && !SKIPPED.has(entry.name) && !isOwn(name)) yield* files(path);
    } else if (entry.isFile() && !isOwn(name)) {
      yield { path, name };
    }
  }
}

function* keysOf(value, trail) {
  if (typeof value === "string" && (value === PACKAGE || value.startsWith(`${PACKAGE}/`))) yield trail;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === PACKAGE || key.startsWith(`${PACKAGE}/`)) yield `${trail}.${key}`;
    yield* keysOf(inner, trail === "" ? key : `${trail}.${key}`);
  }
}

/** A configuration may have comments and trailing commas; few have, and reading them takes the compiler. */
async function parseJson(name, text) {
  try {
    return JSON.parse(text);
  } catch {
    const { default: ts } = await import("typescript");
    const { config, error } = ts.parseConfigFileTextToJson(name, text);
    if (error) throw new Error(`${name} is no JSON: ${ts.flattenDiagnosticMessageText(error.messageText, "\n")}`);
    return config;
  }
}

async function inJson(name, text) {
  const parsed = await parseJson(name, text);
  const allowed = ALLOWED_FIELDS[name] ?? [];
  return [...new Set(keysOf(parsed, ""))]
    .filter((trail) => !allowed.some((field) => trail.startsWith(`${field}.`)))
    .map((trail) => `${name}:1 ${PACKAGE} in ${trail}`);
}

/** The code blocks of a document, each at its line. */
function* codeBlocks(text) {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const fence = /^\s*(`{3,}|~{3,})\s*(tsx|[cm]?ts|typescript|[cm]?js|jsx|javascript)\b/.exec(lines[at]);
    if (!fence) continue;
    const start = at + 1;
    do at += 1;
    while (at < lines.length && !lines[at].trimStart().startsWith(fence[1]));
    const language = fence[2] === "tsx" ? "tsx" : /ts$|^types/.test(fence[2]) ? "ts" : "jsx";
    yield { line: start, file: `block.${language}`, text: lines.slice(start, at).join("\n") };
  }
}

/** A piece of a document may be no program by itself; a file that is none cannot be answered for. */
function inCode(analyser, book, name, { file, line = 0, text }) {
  const tree = analyser.parseSource(file ?? name, text);
  if (!tree) return file === undefined ? [`${name}:1 is no program that can be read`] : [];
  const hits = analyser.findHits(new analyser.IndexedTree(tree), book);
  const place = ({ entry }) => (entry === "" ? PACKAGE : `${PACKAGE}/${entry}`);
  return hits.map((hit) => `${name}:${line + hit.line} ${place(hit)}${hit.record ? `.${hit.name}` : ""}`);
}

async function found(analyser, book) {
  const lines = [];
  for (const { path, name } of files(ROOT)) {
    if (WIRING.has(name)) continue;
    const text = () => readFileSync(path, "utf8");
    if (/(?:^|\/)(?:package|tsconfig[^/]*)\.json$/.test(name)) lines.push(...(await inJson(name, text())));
    else if (analyser.isCode(name)) lines.push(...inCode(analyser, book, name, { text: text() }));
    else if (name.endsWith(".md")) {
      for (const block of codeBlocks(text())) lines.push(...inCode(analyser, book, name, block));
    }
  }
  return [...new Set(lines)].sort();
}

const manifest = join(ROOT, "compat", "manifest.json");
if (!existsSync(manifest)) {
  console.log("There is no compat layer: nothing to check.");
  process.exit(0);
}
const analyser = await import(new URL("../compat/dist/analyser/index.js", import.meta.url).href);
const { records } = JSON.parse(readFileSync(manifest, "utf8"));
const uses = await found(analyser, new analyser.NameBook(records, "all"));
for (const use of uses) console.error(use);
if (uses.length > 0) {
  console.error(`${uses.length} uses of the compat layer in the tree. Import the focused package instead.`);
  process.exit(1);
}
console.log("Nothing in the tree uses the compat layer.");
