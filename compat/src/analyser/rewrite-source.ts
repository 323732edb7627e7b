import type { CompatHit, TextEdit } from "./compat-hit.js";
import { PACKAGE } from "./compat-name.js";
import type { NameBook } from "./compat-name.js";
import { findHits } from "./find-hits.js";
import { fixComments } from "./fix/fix-comments.js";
import { fixImports } from "./fix/fix-imports.js";
import { fixMembers } from "./fix/fix-members.js";
import { fixNamespaces } from "./fix/fix-namespaces.js";
import { fixPatterns } from "./fix/fix-patterns.js";
import type { Fix } from "./fix/movable.js";
import { parseSource } from "./parse-source.js";
import { IndexedTree } from "./source-tree.js";

/** A fix may free the way for another one; each round has fewer hits to move, and this many are plenty. */
const ROUNDS = 10;

const byPlace = (a: TextEdit, b: TextEdit): number => a.range[0] - b.range[0] || a.range[1] - b.range[1];

function overlap(sorted: readonly TextEdit[]): boolean {
  return sorted.some(({ range }, at) => range[0] < (sorted[at - 1]?.range[1] ?? 0));
}

/** Changes that lead names to the focused packages. They do not overlap: what would waits for the next round. */
export function fixesOf(index: IndexedTree, hits: readonly CompatHit[]): TextEdit[] {
  const fixes = [fixImports, fixPatterns, fixNamespaces, fixMembers, fixComments].flatMap((fix) => fix(index, hits));
  return combined(fixes.filter((fix) => fix.length > 0));
}

/** All fixes, or where some overlap, the first ones of those. */
function combined(fixes: readonly Fix[]): TextEdit[] {
  const all = fixes.flat().sort(byPlace);
  if (!overlap(all)) return all;
  return fixes.reduce<TextEdit[]>((taken, fix) => {
    const more = [...taken, ...fix].sort(byPlace);
    return overlap(more) ? taken : more;
  }, []);
}

function apply(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { range, text: replacement } of edits) {
    parts.push(text.slice(at, range[0]), replacement);
    at = range[1];
  }
  return parts.join("") + text.slice(at);
}

/**
 * Rewrites a file so that names which a focused package has come from there (CPT-06). What a person has to decide stays
 * as it is; a file that was rewritten is not changed again.
 *
 * @returns The text, the same one where there was nothing to do.
 */
export function rewriteSource(file: string, text: string, book: NameBook): string {
  let current = text;
  let tree = text.includes(PACKAGE) ? parseSource(file, text) : undefined;
  for (let round = 0; tree && round < ROUNDS && current.includes(PACKAGE); round++) {
    const index = new IndexedTree(tree);
    const next = apply(current, fixesOf(index, findHits(index, book)));
    if (next === current) break;
    tree = parseSource(file, next);
    // A text that would not parse is no rewrite: the file stays, and its hits with it.
    if (tree) current = next;
  }
  return current;
}
