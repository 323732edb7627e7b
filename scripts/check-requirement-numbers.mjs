/**
 * Every requirement number that the sources and tests name stands in docs/requirements.md, and every field case in
 * docs/field-cases.md: a number in a test title means something to whoever reads it.
 *
 * `--unproven` lists the requirements whose number stands in no test title yet: a list to work from, not a failure.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { treeFiles } from "./support/tree-files.mjs";

const NUMBER = /\b(?:(?:GND|SCH|COR|SEA|REP|POR|GWS|CPT)-\d{2}|P\d{2})\b/g;
const DEFINED = /^- (?:\*\*)?((?:GND|SCH|COR|SEA|REP|POR|GWS|CPT)-\d{2})\b|^#+ (P\d{2})\b/gm;
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*\(\s*(?:"[^"]*"|`[^`]*`|'[^']*')|\]\)\(\s*(?:"[^"]*"|`[^`]*`)/g;
const DOCUMENTS = ["docs/requirements.md", "docs/field-cases.md"];
const SOURCES = /^(?:packages|compat|scripts)\/.*\.(?:ts|mjs|js|md)$/;

/** @param {string} root @returns {Set<string>} */
export function definedNumbers(root) {
  const matches = DOCUMENTS.flatMap((name) => [...readFileSync(join(root, name), "utf8").matchAll(DEFINED)]);
  return new Set(matches.map((match) => match[1] ?? match[2]));
}

/** @param {string} root @returns {string[]} One line per number that nobody defined. */
export function undefinedNumbers(root) {
  const defined = definedNumbers(root);
  return treeFiles(root)
    .filter((name) => SOURCES.test(name))
    .flatMap((name) => {
      const lines = readFileSync(join(root, name), "utf8").split("\n");
      return lines.flatMap((line, index) =>
        (line.match(NUMBER) ?? [])
          .filter((number) => !defined.has(number))
          .map((number) => `${name}:${index + 1}: ${number} stands in none of ${DOCUMENTS.join(", ")}`),
      );
    });
}

/** @param {string} root @returns {string[]} Requirements that no test title names. */
export function unprovenNumbers(root) {
  const tests = treeFiles(root).filter((name) => SOURCES.test(name) && /\.test\.ts$/.test(name));
  const titles = tests.flatMap((name) => readFileSync(join(root, name), "utf8").match(TITLE) ?? []);
  const proven = new Set(titles.flatMap((title) => title.match(NUMBER) ?? []));
  return [...definedNumbers(root)].filter((number) => !proven.has(number));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const findings = undefinedNumbers(root);
  for (const finding of findings) console.error(finding);
  if (process.argv.includes("--unproven")) console.log(unprovenNumbers(root).join("\n"));
  console.log(`requirements: ${definedNumbers(root).size} defined, ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
