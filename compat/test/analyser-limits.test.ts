import { describe, expect, it } from "vitest";
import { NameBook } from "../src/analyser/compat-name.js";
import { findHits } from "../src/analyser/find-hits.js";
import { parseSource } from "../src/analyser/parse-source.js";
import { rewriteSource } from "../src/analyser/rewrite-source.js";
import { IndexedTree } from "../src/analyser/source-tree.js";
import { loadNames } from "../src/scan/load-names.js";

const BOOK = new NameBook(loadNames());
const S = '"@hermes/compat/hermes-state"';
const USE = `import { classifyPersistenceError } from ${S};\n`;

function find(text: string, file = "p.js"): string[] {
  const tree = parseSource(file, text);
  if (!tree) return ["(not parsed)"];
  return findHits(new IndexedTree(tree), BOOK).map(({ name, line }) => `${line} ${name}`);
}

/** The text over and over until it has a length. */
const long = (piece: (at: number) => string, length: number): string => {
  let text = "";
  for (let at = 0; text.length < length; at++) text += piece(at);
  return text;
};

describe("what is very deep", () => {
  const deep: readonly (readonly [string, (levels: number) => string, string?])[] = [
    ["brackets", (levels) => `${"(".repeat(levels)}1${")".repeat(levels)}`],
    ["blocks", (levels) => "{".repeat(levels) + "}".repeat(levels)],
    ["functions", (levels) => "function f(){".repeat(levels) + "}".repeat(levels)],
    ["classes", (levels) => `x=${"class{a=".repeat(levels)}1${"}".repeat(levels)}`],
    ["arrows", (levels) => `x=${"()=>".repeat(levels)}1`],
    ["branches", (levels) => `${"if(a);else ".repeat(levels)};`],
    ["signs", (levels) => `x=${"!".repeat(levels)}1`],
    ["templates", (levels) => `x=${"`${".repeat(levels)}1${"}`".repeat(levels)}`],
    ["types", (levels) => `let x:${"A<".repeat(levels)}A${">".repeat(levels)}`, "p.ts"],
  ];
  for (const [title, make, file] of deep) {
    it(`CPT-05 CPT-06 leaves a file alone that nests ${title} without end`, () => {
      expect(find(USE + make(10_000), file)).toEqual(["(not parsed)"]);
      expect(rewriteSource(file ?? "p.js", USE + make(10_000), BOOK)).toBe(USE + make(10_000));
      expect(find(USE + make(100), file)).toEqual(["1 classifyPersistenceError"]);
    });
  }

  it("CPT-06 does not take brackets in strings and comments for depth, nor many branches in a row", () => {
    const text = `"${"(".repeat(2_000)}"; // ${"[".repeat(2_000)}\n/* ${"{".repeat(2_000)} */`;
    const branches = long((at) => `if(a==${at})b();else if(a=>a)c(a?1:2);switch(a){case ${at}:case 1:d()}`, 100_000);
    expect(find(`${USE}${text}\n${branches}`)).toEqual(["1 classifyPersistenceError"]);
  });
});

describe("what is very long", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["many tags", `${USE}/** ${"@import{".repeat(100_000)} */`],
    ["many spaces", `${USE}/** import(${" ".repeat(500_000)} */`],
    ["many spaces around tags", `${USE}/** ${`\n${" ".repeat(5_000)}@import `.repeat(100)} */`],
    ["many openings", `${USE}/** ${"import('a'".repeat(50_000)} */`],
    ["many braces", `${USE}/** @type ${"{".repeat(300_000)} import('a') */`],
    ["many comments that do not end", `${USE}"${"/*".repeat(300_000)}"`],
    ["many marks", `${USE}/${"\\'".repeat(300_000)}/`],
    ["names that are bound backwards", `${USE}${long((at) => `var a${at}=a${at + 1};`, 100_000)}`],
    ["a minified file", USE + long((at) => `function f${at}(a){var c=a.x+1;if(c)return[c,{a:c}]}`, 500_000)],
  ];
  for (const [title, text] of texts) {
    it(`CPT-06 reads ${title} without delay`, { timeout: 20_000 }, () => {
      expect(find(text)).toEqual(["1 classifyPersistenceError"]);
    });
  }

  it("CPT-06 places many uses on many lines without delay", { timeout: 20_000 }, () => {
    const text = `import * as hs from ${S};\n${"hs.classifyPersistenceError();\n".repeat(10_000)}`;
    expect(find(text)).toHaveLength(10_000);
  });
});

describe("JSDoc", () => {
  it("CPT-05 counts a whole module that a comment imports", () => {
    expect(find(`/** @type {typeof import(${S})} */\nlet a;`)).toEqual(["1 *"]);
    expect(find(`/** @import * as hs from ${S} */`)).toEqual(["1 *"]);
    expect(find(`/**\n * @param {Map<string, {a: import(${S}).T}>} x\n * @param y {import(${S}).T}\n */`)).toEqual([
      "2 T",
      "3 T",
    ]);
    expect(find(`/**\n * a { b\n * @type {import(${S}).T}\n */`)).toEqual(["3 T"]);
    expect(find(`/**\n * @import {\n *   T,\n *   SessionDB,\n * } from ${S}\n */`)).toEqual(["2 T"]);
  });

  it("CPT-05 passes by a comment that only speaks of an import", () => {
    expect(find(`/** See import(${S}).T for more. */`)).toEqual([]);
    expect(find(`/** Was {import(${S}).T} once. */`)).toEqual([]);
    expect(find(`/** Do not write @import { T } from ${S} again. */`)).toEqual([]);
    expect(find(`/* @type {import(${S}).T} */\n// @type {import(${S}).T}`)).toEqual([]);
  });
});
