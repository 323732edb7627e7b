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

  /** As they were met, but none before the one it hangs on. */
  inOrder(): readonly T[] {
    const order = new Set<T>();
    for (const { id } of this.#nodes.values())
      for (const node of this.pathUntil(id, (met) => order.has(met)).nodes) order.add(node);
    return [...order];
  }

  get(id: string): T | undefined {
    return this.#nodes.get(id);
  }

  /**
   * The way up from an entry as far as `stop` is not met, from above to below; a ring or a missing parent ends it.
   *
   * @returns The entries, and the one that stopped it.
   */
  pathUntil(
    id: string | undefined,
    stop: (node: T) => boolean,
  ): { readonly nodes: readonly T[]; readonly above: T | undefined } {
    const path: T[] = [];
    const visited = new Set<string>();
    let node = id === undefined ? undefined : this.#nodes.get(id);
    while (node && !visited.has(node.id) && !stop(node)) {
      visited.add(node.id);
      path.push(node);
      node = node.parent === undefined ? undefined : this.#nodes.get(node.parent);
    }
    return { nodes: path.reverse(), above: node && !visited.has(node.id) ? node : undefined };
  }

  /** The nearest entry that answers, the one with `id` included. */
  nearest(id: string | undefined, wanted: (node: T) => boolean): T | undefined {
    return this.pathUntil(id, wanted).above;
  }
}
