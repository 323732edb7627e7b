import type { MessageTree, TreeNode } from "./message-tree.js";

/** One path through a tree, without what an earlier path has already. */
export interface TreePath<T> {
  readonly nodes: readonly T[];
  /** Index of the path it leaves; undefined for the first, and for one that starts at a root of its own. */
  readonly from: number | undefined;
  /** The node of that path after which it begins. */
  readonly after: T | undefined;
}

/**
 * Takes a tree apart: the path to the current leaf first, then the paths that were left, each node once. Where a path
 * that was left divides again, the later written one goes on with it.
 *
 * @param leaf - Id of the entry that the conversation stands on.
 */
export function treePaths<T extends TreeNode>(tree: MessageTree<T>, leaf: string | undefined): readonly TreePath<T>[] {
  const owner = new Map<string, number>();
  const paths: TreePath<T>[] = [];
  const take = (id: string | undefined): void => {
    const { nodes, above } = tree.pathUntil(id, (node) => owner.has(node.id));
    if (nodes.length === 0 && paths.length > 0) return;
    for (const node of nodes) owner.set(node.id, paths.length);
    paths.push({ nodes, from: above && owner.get(above.id), after: above });
  };
  take(leaf);
  const parents = new Set(tree.nodes.map(({ parent }) => parent));
  for (const node of tree.nodes.toReversed()) if (!parents.has(node.id)) take(node.id);
  // A ring has no end to start from.
  for (const node of tree.nodes) if (!owner.has(node.id)) take(node.id);
  return paths;
}

/** The nearest path above that says something: one that only keeps state becomes no session to hang on. */
export function whereTold<T>(
  paths: readonly TreePath<T>[],
  from: number | undefined,
  says: (node: T) => unknown,
): number {
  let at = from ?? 0;
  while (at !== 0 && paths[at]?.nodes.every((node) => says(node) === undefined)) at = paths[at]?.from ?? 0;
  return at;
}
