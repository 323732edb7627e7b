import type { QueryNode, TermNode } from "./query.js";

type Members = (node: QueryNode) => readonly QueryNode[] | undefined;

/** Repeated terms are told by their text, so that a word said a hundred times is looked for once. */
function keyOf(node: QueryNode): unknown {
  return node.type === "term" ? JSON.stringify([node.atoms, node.gaps, node.prefix]) : node;
}

function flatten(nodes: readonly QueryNode[], members: Members): QueryNode[] {
  const flat = new Map<unknown, QueryNode>();
  for (const node of nodes) {
    for (const member of members(node) ?? [node]) flat.set(keyOf(member), member);
  }
  return [...flat.values()];
}

/**
 * All of `all` and none of `none`; groups of the same kind are merged and repetitions dropped.
 *
 * @param all - At least one node.
 */
export function allOf(all: readonly QueryNode[], none: readonly QueryNode[]): QueryNode {
  const found = flatten(all, (node) => (node.type === "and" && node.none.length === 0 ? node.all : undefined));
  const [only] = found;
  return only && found.length === 1 && none.length === 0
    ? only
    : { type: "and", all: found, none: flatten(none, (node) => (node.type === "or" ? node.any : undefined)) };
}

/**
 * Any of `any`; groups of the same kind are merged and repetitions dropped.
 *
 * @param any - At least one node.
 */
export function anyOf(any: readonly QueryNode[]): QueryNode {
  const found = flatten(any, (node) => (node.type === "or" ? node.any : undefined));
  const [only] = found;
  return only && found.length === 1 ? only : { type: "or", any: found };
}

/** The terms of a tree that a match may consist of: those under `none` are not among them. */
export function positiveTerms(node: QueryNode): readonly TermNode[] {
  switch (node.type) {
    case "term":
      return [node];
    case "and":
      return node.all.flatMap(positiveTerms);
    case "or":
      return node.any.flatMap(positiveTerms);
  }
}
