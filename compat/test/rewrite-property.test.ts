import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seedFor, tempDir } from "@hermes/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findHits } from "../src/analyser/find-hits.js";
import { parseSource } from "../src/analyser/parse-source.js";
import { rewriteSource } from "../src/analyser/rewrite-source.js";
import { IndexedTree } from "../src/analyser/source-tree.js";
import { MOVED } from "./support/name-books.js";

/** Old name, focused package and name there; a name that stays, and one that a person has to replace. */
const NAMES = [
  ["escapeLike", "@hermes/state-core", "likeEscape"],
  ["classify", "@hermes/state-core", "classify"],
  ["SCHEMA_VERSION", "@hermes/state-schema", "SCHEMA_VERSION"],
  ["workspaceKey", undefined, "workspaceKey"],
  ["SessionDB", undefined, "SessionDB"],
] as const;
type Name = (typeof NAMES)[number][0];

/** A use of two names under locals that begin with `$`, and what is read of it. */
type Form = (S: string, $: string, a: Name, b: Name) => readonly [code: string, values: readonly string[]];

const ESM: readonly Form[] = [
  (S, $, a, b) => [`import { ${a} as ${$}a, ${b} as ${$}b } from ${S};`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`import {\n  // one\n  ${a} as ${$}a, /* two */ ${b} as ${$}b,\n} from ${S}`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`import * as ${$} from ${S};`, [`${$}.${a}`, `${$}["${b}"]`]],
  (S, $, a, b) => [`import ${$}, { ${a} as ${$}a } from ${S};`, [`${$}a`, `${$}?.${b}`]],
  (S, $, a, b) => [`import { default as ${$}, ${a} as ${$}a } from ${S};`, [`${$}a`, `${$}.${b}`]],
  (S, $, a, b) => [`import * as ${$} from ${S}; const { ${a}: ${$}a, ${b}: ${$}b = 1 } = ${$};`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`const { ${a}: ${$}a, ["${b}"]: ${$}b } = await import(${S});`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`export const { ${a}: ${$}a, ${b}: ${$}b } = await import(${S})`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`const ${$} = await import(${S});`, [`${$}.${a}`, `(await import(${S})).${b}`]],
  (S, $, a, b) => [`const ${$} = await import(${S}).then((m) => [m.${a}, m.${b}]);`, [`${$}[0]`, `${$}[1]`]],
  (S, $, a, b) => [`const ${$} = await import(${S}).then(({ ${a}: x, ${b}: y }) => [x, y]);`, [`${$}[0]`, `${$}[1]`]],
];

const CJS: readonly Form[] = [
  (S, $, a, b) => [`const { ${a}: ${$}a, ${b}: ${$}b } = require(${S})`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`var ${$}1 = 1, { ${a}: ${$}a, ${b}: ${$}b } = require(${S}), ${$}2 = 2;`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`if (true) var { ${a}: ${$}a, ${b}: ${$}b } = require(${S});`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`let ${$}a, ${$}b;\n({ ${a}: ${$}a, ${b}: ${$}b } = require(${S}))`, [`${$}a`, `${$}b`]],
  (S, $, a, b) => [`const ${$} = require(${S}), ${$}1 = 1`, [`${$}.${a}`, `${$}?.${b}`]],
  (S, $, a, b) => [`let ${$}; ${$} = require(${S});`, [`${$}.${a}`, `${$}[\`${b}\`]`]],
  (S, $, a, b) => [`const ${$} = require(${S});`, [`${$}.${a}`, `(({ ${b}: x }) => x)(${$})`]],
  (S, $, a, b) => [`const ${$} = require(${S});`, [`((${$}) => ${$})(${$}.${a})`, `require(${S}).${b}`]],
  (S, $, a, b) => [
    `function ${$}({ ${a}: x, ${b}: y } = require(${S})) { return [x, y]; }`,
    [`${$}()[0]`, `${$}()[1]`],
  ],
  (S, $, a, b) => [`for (var { ${a}: ${$}a, ${b}: ${$}b } = require(${S}); false; );`, [`${$}a`, `${$}b`]],
];

/** The module is given away there: any name of it may be read. */
const GIVEN_AWAY = "(({";

interface Program {
  readonly file: string;
  readonly text: string;
  readonly planted: readonly string[];
  readonly reads: readonly string[];
}

const name = fc.constantFrom(...NAMES.map(([one]) => one));
const quote = fc.constantFrom('"', "'");
const use = fc.record({ form: fc.nat(20), a: name, b: name, quote }).filter(({ a, b }) => a !== b);

function write(
  isEsm: boolean,
  uses: readonly { form: number; a: Name; b: Name; quote: string }[],
  end: string,
): Program {
  const forms = isEsm ? ESM : CJS;
  const pieces = uses.map(({ form, a, b, quote: mark }, at) => {
    const S = `${mark}@hermes/compat/hermes-state${mark}`;
    return { a, b, made: forms[form % forms.length]?.(S, `$${at}`, a, b) ?? ["", []] };
  });
  const reads = pieces.flatMap(({ made }) => made[1]);
  const head = isEsm ? "" : '"use strict";\n';
  const last = `globalThis.report([${reads.join(", ")}]);`;
  const text = `#!/usr/bin/env node\n${head}// 😀\n${pieces.map(({ made }) => made[0]).join("\n")}\n${last}\n`;
  const planted = pieces.flatMap(({ a, b, made }) => [a, made[1][1]?.startsWith(GIVEN_AWAY) ? "*" : b]);
  return {
    file: isEsm ? "p.mjs" : "p.cjs",
    text: text.replaceAll("\n", end),
    planted: planted.filter((one) => one !== "SessionDB").sort(),
    reads: pieces.flatMap(({ a, b }) => [a, b]),
  };
}

const program = fc
  .tuple(fc.boolean(), fc.array(use, { minLength: 1, maxLength: 4 }), fc.constantFrom("\n", "\r\n"))
  .map(([isEsm, uses, end]) => write(isEsm, uses, end));

function hits(file: string, text: string): string[] {
  const tree = parseSource(file, text);
  if (!tree) return ["(not parsed)"];
  return findHits(new IndexedTree(tree), MOVED).map((hit) => hit.name);
}

/** Packages that give each name one object, and the layer that gives the same ones. */
function plantPackages(root: string): void {
  const plant = (path: string, text: string): void => {
    mkdirSync(join(root, "node_modules/@hermes", path, ".."), { recursive: true });
    writeFileSync(join(root, "node_modules/@hermes", path), text);
  };
  const layer: string[] = [];
  const homes = new Map<string, string[]>();
  for (const [old, home, exported] of NAMES) {
    const value = `{ old: ${JSON.stringify(old)} }`;
    layer.push(`exports.${old} = ${home ? `require("${home}").${exported}` : value};`);
    if (home) homes.set(home, [...(homes.get(home) ?? []), `exports.${exported} = ${value};`]);
  }
  plant("compat/hermes-state.js", layer.join("\n"));
  plant("compat/package.json", '{ "exports": { "./hermes-state": "./hermes-state.js" } }');
  for (const [home, lines] of homes) plant(`${home.slice("@hermes/".length)}/index.js`, lines.join("\n"));
}

const DRIVER = `
const layer = require("@hermes/compat/hermes-state");
const seen = [];
globalThis.report = (values) => seen.push(values.map((value) => Object.keys(layer).find((name) => layer[name] === value)));
(async () => {
  for (const file of process.argv.slice(2)) await import(file);
  console.log(JSON.stringify(seen));
})();`;

/** What the programs read, each in its turn. */
function run(root: string, texts: readonly { readonly file: string; readonly text: string }[]): unknown {
  const files = texts.map(({ file, text }, at) => {
    const path = join(root, `${at}-${file}`);
    writeFileSync(path, text);
    return path;
  });
  writeFileSync(join(root, "driver.cjs"), DRIVER);
  const child = spawnSync(process.execPath, [join(root, "driver.cjs"), ...files], {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

describe("programs made of the forms", () => {
  it("CPT-05 CPT-06 are found name by name, and rewritten once", { timeout: 120_000 }, () => {
    const seed = seedFor("rewritten programs");
    for (const { file, text, planted } of fc.sample(program, { seed, numRuns: 300 })) {
      expect(hits(file, text).sort(), text).toEqual(planted);
      const once = rewriteSource(file, text, MOVED);
      expect(hits(file, once), once).not.toContain("(not parsed)");
      expect(rewriteSource(file, once, MOVED), once).toBe(once);
      expect(once.replaceAll("\r\n", "").includes("\n"), once).toBe(!text.includes("\r\n"));
    }
  });

  it("CPT-06 read the same objects before and after", { timeout: 120_000 }, () => {
    using dir = tempDir();
    plantPackages(dir.path);
    const programs = fc.sample(program, { seed: seedFor("programs that run"), numRuns: 60 });
    const fixed = programs.map(({ file, text }) => ({ file, text: rewriteSource(file, text, MOVED) }));
    expect(run(dir.path, programs)).toEqual(programs.map(({ reads }) => reads));
    expect(run(dir.path, fixed)).toEqual(programs.map(({ reads }) => reads));
  });
});
