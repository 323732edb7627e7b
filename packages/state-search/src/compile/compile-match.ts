import type { QueryNode, TermNode } from "../language/query.js";

/** The widest OR and the longest AND that is handed to the engine; what lies beyond is left to the judge. */
const MOST_ALTERNATIVES = 64;
const MOST_REQUIRED = 16;
/** The engine's own parser gives up on deeper nesting. */
const DEEPEST = 8;

/**
 * What the word index can be asked for a tree:
 *
 * - an expression: every regular message that answers the query matches it. A message is regular when its text is plain
 *   ASCII, so that the tokens of the index are its words.
 * - `none`: no regular message answers the query, since every way to answer it needs an unsegmented run or emoji.
 * - `everything`: the index cannot narrow it.
 */
export type MatchExpression = { readonly match: string } | "none" | "everything";

/** Words as the engine's phrase; it cuts the text into the same words again. */
function phrase(term: TermNode): MatchExpression {
  if (term.atoms.some((atom) => atom.kind !== "word")) return "none";
  const words = term.atoms.map((atom, index) => (index > 0 && term.gaps[index - 1] !== "" ? " " : "") + atom.text);
  return { match: `"${words.join("")}"${term.prefix ? " *" : ""}` };
}

function required(members: readonly QueryNode[], depth: number): MatchExpression {
  const compiled = members.map((member) => compile(member, depth + 1));
  if (compiled.includes("none")) return "none";
  const narrowing = compiled.filter((member) => typeof member !== "string").slice(0, MOST_REQUIRED);
  if (narrowing.length === 0) return "everything";
  return { match: narrowing.map(({ match }) => `(${match})`).join(" AND ") };
}

function alternatives(members: readonly QueryNode[], depth: number): MatchExpression {
  const compiled = members.map((member) => compile(member, depth + 1)).filter((member) => member !== "none");
  if (compiled.length === 0) return "none";
  const matches = compiled.filter((member) => member !== "everything");
  if (matches.length < compiled.length || matches.length > MOST_ALTERNATIVES) return "everything";
  return { match: matches.map(({ match }) => `(${match})`).join(" OR ") };
}

function compile(node: QueryNode, depth: number): MatchExpression {
  if (depth > DEEPEST) return "everything";
  switch (node.type) {
    case "term":
      return phrase(node);
    case "and":
      return required(node.all, depth);
    case "or":
      return alternatives(node.any, depth);
  }
}

/**
 * Compiles a tree for the word index. It only narrows: what must not be there is left to the judge, because a token of
 * the index is no proof that a word stands in the text (it may be a key of stored JSON).
 */
export function compileMatch(root: QueryNode): MatchExpression {
  return compile(root, 0);
}
