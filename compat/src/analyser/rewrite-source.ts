import type { TextEdit } from "./compat-hit.js";
import type { NameBook } from "./compat-name.js";
import { findHits } from "./find-hits.js";
import { fixImports } from "./fix/fix-imports.js";
import { fixMembers } from "./fix/fix-members.js";
import { fixNamespaces } from "./fix/fix-namespaces.js";
import { fixPatterns } from "./fix/fix-patterns.js";
import type { CompatHit } from "./compat-hit.js";
import { parseSource } from "./parse-source.js";
import { IndexedTree } from "./source-tree.js";

/** Every change that leads the names of a file to the focused packages. Changes do not overlap. */
export function fixesOf(index: IndexedTree, hits: readonly CompatHit[]): TextEdit[] {
  const fixes = [fixImports, fixPatterns, fixNamespaces, fixMembers].flatMap((fix) => fix(index, hits));
  return fixes.sort((a, b) => a.range[0] - b.range[0]);
}

function apply(text: string, edits: readonly TextEdit[]): string {
  let result = "";
  let at = 0;
  for (const { range, text: replacement } of edits) {
    if (range[0] < at) continue;
    result += text.slice(at, range[0]) + replacement;
    at = range[1];
  }
  return result + text.slice(at);
}

/**
 * Rewrites a file so that names which a focused package has come from there (CPT-06). What a person has to decide stays
 * as it is; a file that was rewritten is not changed again.
 *
 * @returns The text, the same one where there was nothing to do.
 */
export function rewriteSource(file: string, text: string, book: NameBook): string {
  const tree = parseSource(file, text);
  if (!tree) return text;
  const index = new IndexedTree(tree);
  const edits = fixesOf(index, findHits(index, book));
  const rewritten = apply(text, edits);
  // A text that would not parse is no rewrite: the file stays, and its hits with it.
  return parseSource(file, rewritten) ? rewritten : text;
}
