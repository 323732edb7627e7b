import type { AtomKind } from "../meaning/read-atoms.js";

/** One atom of a term, folded. */
export interface TermAtom {
  readonly kind: AtomKind;
  readonly text: string;
}

/**
 * A word, a run, or several of them that must stand together: words joined by punctuation, a quoted phrase, a word
 * glued to an unsegmented run.
 */
export interface TermNode {
  readonly type: "term";
  /** At least one. */
  readonly atoms: readonly TermAtom[];
  /** What stands between the atoms; one fewer than they are. */
  readonly gaps: readonly string[];
  /** The last atom is a word and only has to begin a word. */
  readonly prefix: boolean;
}

/** All of `all` and none of `none`. There is always something to find: `all` is never empty. */
export interface AndNode {
  readonly type: "and";
  readonly all: readonly QueryNode[];
  readonly none: readonly QueryNode[];
}

/** Any of `any`, which has two members or more. */
export interface OrNode {
  readonly type: "or";
  readonly any: readonly QueryNode[];
}

/** The query tree: everything a search does is compiled from it (SEA-01). */
export type QueryNode = TermNode | AndNode | OrNode;

/**
 * Why a query is not what its text says:
 *
 * - `empty`: nothing to look for was given.
 * - `nothing-to-find`: only punctuation or operators were given.
 * - `only-negative`: it says what must not be there and nothing that must.
 * - `negative-alternative`: an alternative of OR that only says NOT was left out.
 * - `cut`: it was longer than 2,048 characters and was cut at the edge of a token.
 */
export type QueryHint = "empty" | "nothing-to-find" | "only-negative" | "negative-alternative" | "cut";

/** A parsed query. */
export interface Query {
  readonly text: string;
  /** Undefined when the query finds nothing by itself; then there is a hint. */
  readonly root: QueryNode | undefined;
  readonly hint: QueryHint | undefined;
}
