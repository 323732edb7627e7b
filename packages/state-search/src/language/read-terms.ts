import { readAtoms, type Atom } from "../meaning/read-atoms.js";
import { readGap } from "../meaning/read-gap.js";
import type { TermNode } from "./query.js";

function termOf(text: string, atoms: readonly Atom[], starred: boolean): TermNode {
  const last = atoms.at(-1);
  return {
    type: "term",
    atoms: atoms.map(({ kind, text: folded }) => ({ kind, text: folded })),
    gaps: atoms.slice(1).map((atom, index) => readGap(text, atoms[index]?.end ?? 0, atom.start)),
    // In an unsegmented run a term matches anywhere, so a star says nothing there.
    prefix: starred && last?.kind === "word",
  };
}

/**
 * Reads a phrase: everything in it must stand together in this order.
 *
 * @param text - What stands between the quotes.
 * @param starred - A star follows the phrase, so its last word only begins a word.
 * @returns Undefined when it holds nothing but punctuation.
 */
export function readPhrase(text: string, starred: boolean): TermNode | undefined {
  const atoms = readAtoms(text);
  return atoms.length === 0 ? undefined : termOf(text, atoms, starred && atoms.at(-1)?.end === text.length);
}

/**
 * Reads a stretch of a query that holds no space, quote or parenthesis. A star ends a term and makes it a prefix; with
 * no word before it, it is nothing.
 */
export function readTerms(stretch: string): readonly TermNode[] {
  const pieces = stretch.split("*");
  return pieces
    .map((piece, index) => readPhrase(piece, index < pieces.length - 1))
    .filter((term) => term !== undefined);
}
