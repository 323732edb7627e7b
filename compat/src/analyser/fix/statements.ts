import { children } from "../source-tree.js";
import type { IndexedTree, SyntaxNode } from "../source-tree.js";

/** Whether a statement stands in a list of them, so that another one can follow it and mean the same. */
export function isListed(index: IndexedTree, statement: SyntaxNode): boolean {
  const parent = index.parent(statement);
  return parent !== undefined && ["body", "consequent"].some((key) => children(parent, key).includes(statement));
}
