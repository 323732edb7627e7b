import type { NameBook } from "./compat-name.js";
import type { SyntaxComment } from "./source-tree.js";

/** A name in a comment that a type checker reads; `*` for the whole module. */
export interface CommentUse {
  readonly entry: string;
  readonly name: string;
  readonly range: readonly [number, number];
}

/** `import("x").Name`, and `import("x")` alone. */
const TYPE = /import\(\s*(["'])([^"'\n]+)\1\s*\)(?:\s*\.\s*([A-Za-z_$][\w$]*))?/g;
/** The tag `@import { A, B as C } from "x"` at the start of a line: what it says before the module. */
const TAG = /@import(?<=(?:^|\n)[^\S\n]*(?:\*[^\S\n]*)?@import)\s([^"'@]*)(["'])([^"'\n]+)\2/g;
const NAME = /[\w$]/;
/** What stands between a tag and its type: nothing, or the name of a parameter. */
const BEFORE_TYPE = /@\w+\s*[\w$.[\]]*\s*$/;

interface Named {
  readonly specifier: string;
  readonly name: string;
  readonly at: number;
  readonly length: number;
}

/** The offsets inside of the braces behind a tag: there a type is read, and elsewhere a text. */
function typesIn(text: string): readonly (readonly [number, number])[] {
  const types: [number, number][] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: brace, index } of text.matchAll(/[{}]|\n[^\S\n]*(?:\*[^\S\n]*)?@/g)) {
    // A tag at the start of a line is inside of nothing, whatever a text before it left open.
    if (brace.endsWith("@")) depth = 0;
    if (brace === "{" && depth++ === 0) start = index;
    if (brace === "}" && depth > 0 && --depth === 0) {
      if (BEFORE_TYPE.test(text.slice(Math.max(0, start - 200), start))) types.push([start, index]);
    }
  }
  return types;
}

function* typeUses(text: string): Generator<Named> {
  if (!text.includes("import(")) return;
  const types = typesIn(text);
  let next = 0;
  for (const match of text.matchAll(TYPE)) {
    while ((types[next]?.[1] ?? Infinity) < match.index) next += 1;
    if ((types[next]?.[0] ?? Infinity) > match.index) continue;
    const [whole, , specifier = "", name = "*"] = match;
    yield { specifier, name, at: match.index, length: whole.length };
  }
}

function* tagUses(text: string): Generator<Named> {
  for (const match of text.matchAll(TAG)) {
    const [whole, said = "", , specifier = ""] = match;
    const clause = said.trimEnd();
    if (!clause.endsWith("from")) continue;
    const place = { specifier, at: match.index, length: whole.length };
    const [module = "", list = ""] = clause.slice(0, -"from".length).split("{");
    if (NAME.test(module)) yield { ...place, name: "*" };
    for (const part of list.split(",")) {
      const [first, second] = part.match(/[\w$]+/g) ?? [];
      const name = first === "type" && second !== undefined && second !== "as" ? second : first;
      if (name !== undefined) yield { ...place, name };
    }
  }
}

/** The names that JSDoc comments import; what a comment only speaks of is none (CPT-05). */
export function findInComments(comments: readonly SyntaxComment[], book: NameBook): CommentUse[] {
  const found: CommentUse[] = [];
  for (const { type, value, range } of comments) {
    if (type !== "Block" || !value.startsWith("*")) continue;
    for (const { specifier, name, at, length } of [...typeUses(value), ...tagUses(value)]) {
      const entry = book.entryOf(specifier);
      const start = range[0] + 2 + at;
      if (entry !== undefined) found.push({ entry, name, range: [start, start + length] });
    }
  }
  return found;
}
