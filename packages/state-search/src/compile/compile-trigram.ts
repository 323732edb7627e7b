import type { QueryNode, TermNode } from "../language/query.js";

/** The trigram index finds nothing shorter. */
const SHORTEST = 3;
const MOST_ALTERNATIVES = 64;
const MOST_REQUIRED = 16;
const DEEPEST = 8;

function quoted(text: string): string {
  return `"${text}"`;
}

function join(matches: readonly string[], operator: "AND" | "OR"): string {
  return matches.map((match) => `(${match})`).join(` ${operator} `);
}

/** Only unsegmented runs: of a word the index knows neither where it ends nor what its diacritics fold to. */
function runs(term: TermNode): string | undefined {
  const long = term.atoms.filter((atom) => atom.kind === "run" && Array.from(atom.text).length >= SHORTEST);
  return long.length === 0 ? undefined : long.map((atom) => quoted(atom.text)).join(" AND ");
}

function compile(node: QueryNode, depth: number): string | undefined {
  if (depth > DEEPEST) return undefined;
  switch (node.type) {
    case "term":
      return runs(node);
    case "and": {
      const all = node.all.map((member) => compile(member, depth + 1)).filter((match) => match !== undefined);
      return all.length === 0 ? undefined : join(all.slice(0, MOST_REQUIRED), "AND");
    }
    case "or": {
      const any = node.any.map((member) => compile(member, depth + 1)).filter((match) => match !== undefined);
      return any.length < node.any.length || any.length > MOST_ALTERNATIVES ? undefined : join(any, "OR");
    }
  }
}

/**
 * Compiles a tree for the trigram index.
 *
 * @returns An expression that every message matches whose plain content answers the query; undefined when the index
 * cannot narrow it.
 */
export function compileTrigram(root: QueryNode): string | undefined {
  return compile(root, 0);
}
