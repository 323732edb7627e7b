import type { QueryNode } from "../language/query.js";
import { SearchedText } from "./searched-text.js";

function holds(node: QueryNode, texts: readonly SearchedText[]): boolean {
  switch (node.type) {
    case "term":
      return texts.some((text) => text.has(node));
    case "and":
      return node.all.every((member) => holds(member, texts)) && !node.none.some((member) => holds(member, texts));
    case "or":
      return node.any.some((member) => holds(member, texts));
  }
}

/**
 * The predicate that decides whether a message answers a query, on every route and in every state of the index
 * (SEA-01). A term may stand in any of the texts; AND may span them.
 *
 * @param texts - The texts of one message, see {@link messageTexts}.
 */
export function judge(root: QueryNode, texts: readonly string[]): boolean {
  return holds(
    root,
    texts.map((text) => new SearchedText(text)),
  );
}
