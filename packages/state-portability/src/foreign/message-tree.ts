/** One entry of a transcript whose order is given by links and not by lines. */
export interface TreeNode {
  readonly id: string;
  /** Undefined for a root. */
  readonly parent: string | undefined;
}

/** Entries by id, and the way up from each of them. */
export class MessageTree<T extends TreeNode> {
  readonly #nodes = new Map<string, T>();

  /** @param nodes - Of two with the same id the first counts: a resumed file repeats its history. */
  constructor(nodes: Iterable<T>) {
    for (const node of nodes) if (!this.#nodes.has(node.id)) this.#nodes.set(node.id, node);
  }

  /** In the order in which they were met. */
  get nodes(): readonly T[] {
    return [...this.#nodes.values()];
  }

  get(id: string): T | undefined {
    return this.#nodes.get(id);
  }

  /** From the root to the entry, both included; a ring or a missing parent ends it. */
  pathTo(id: string | undefined): readonly T[] {
    const path: T[] = [];
    const visited = new Set<string>();
    let node = id === undefined ? undefined : this.#nodes.get(id);
    while (node && !visited.has(node.id)) {
      visited.add(node.id);
      path.push(node);
      node = node.parent === undefined ? undefined : this.#nodes.get(node.parent);
    }
    return path.reverse();
  }
}
