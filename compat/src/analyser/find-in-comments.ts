import type { NameBook } from "./compat-name.js";
import type { SyntaxComment } from "./source-tree.js";

/** A name in a comment that a type checker reads. */
export interface CommentUse {
  readonly entry: string;
  readonly name: string;
  readonly range: readonly [number, number];
}

/** `import("x").Name` inside of braces. */
const TYPE = /import\(\s*(["'])([^"']+)\1\s*\)\s*\.\s*([A-Za-z_$][\w$]*)/g;
/** The tag `@import { A, B as C } from "x"`. */
const TAG = /@import\s*\{([^}]*)\}\s*from\s*(["'])([^"']+)\2/g;
const NAME = /[A-Za-z_$][\w$]*/;

function* usesIn(text: string): Generator<{ specifier: string; name: string; at: number; length: number }> {
  for (const match of text.matchAll(TYPE)) {
    const [whole, , specifier = "", name = ""] = match;
    yield { specifier, name, at: match.index, length: whole.length };
  }
  for (const match of text.matchAll(TAG)) {
    const [whole, list = "", , specifier = ""] = match;
    for (const part of list.split(",")) {
      const name = NAME.exec(part.replace(/^\s*type\s+/, ""))?.[0];
      if (name !== undefined) yield { specifier, name, at: match.index, length: whole.length };
    }
  }
}

/** The names that JSDoc comments import; what a comment only speaks of is none (CPT-05). */
export function findInComments(comments: readonly SyntaxComment[], book: NameBook): CommentUse[] {
  const found: CommentUse[] = [];
  for (const { type, value, range } of comments) {
    if (type !== "Block" || !value.startsWith("*")) continue;
    for (const { specifier, name, at, length } of usesIn(value)) {
      const entry = book.entryOf(specifier);
      if (entry === undefined || !book.find(entry, name)) continue;
      const start = range[0] + 2 + at;
      found.push({ entry, name, range: [start, start + length] });
    }
  }
  return found;
}
