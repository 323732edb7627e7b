import type { QueryNode, TermNode } from "../language/query.js";
import { emojiTokens, wantedRunTokens, wordToken } from "../side-index/side-tokens.js";

const MOST_ALTERNATIVES = 64;
const MOST_REQUIRED = 16;
const DEEPEST = 8;

function term({ atoms, prefix }: TermNode): string | undefined {
  const tokens = atoms.flatMap((atom, index) => {
    if (atom.kind === "run") return wantedRunTokens(atom.text).map((token) => `"${token}"`);
    if (atom.kind === "emoji") return emojiTokens(atom.text).map((token) => `"${token}"`);
    return [`"${wordToken(atom.text)}"${prefix && index === atoms.length - 1 ? " *" : ""}`];
  });
  const distinct = [...new Set(tokens)].slice(0, MOST_REQUIRED);
  return distinct.length === 0 ? undefined : distinct.join(" AND ");
}

function compile(node: QueryNode, depth: number): string | undefined {
  if (depth > DEEPEST) return undefined;
  if (node.type === "term") return term(node);
  const members = node.type === "and" ? node.all : node.any;
  const compiled = members.map((member) => compile(member, depth + 1)).filter((match) => match !== undefined);
  if (node.type === "and") {
    if (compiled.length === 0) return undefined;
    return compiled
      .slice(0, MOST_REQUIRED)
      .map((match) => `(${match})`)
      .join(" AND ");
  }
  if (compiled.length < members.length || compiled.length > MOST_ALTERNATIVES) return undefined;
  return compiled.map((match) => `(${match})`).join(" OR ");
}

/**
 * Compiles a tree for the side index, which knows what atoms stand in a message but not where. What must not be there
 * is left to the judge.
 *
 * @returns An expression that every message which the side index holds and that answers the query matches; undefined
 * when the index cannot narrow it.
 */
export function compileSide(root: QueryNode): string | undefined {
  return compile(root, 0);
}
