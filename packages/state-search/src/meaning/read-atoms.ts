import {
  characterClass,
  FIRST_SCRIPT,
  isWordClass,
  JOINER,
  MARK,
  NEUTRAL,
  PICTURE,
  UNSEGMENTED,
} from "./character-class.js";
import { foldText } from "./fold-text.js";

/** What an atom is: a word of a segmented script, a run of an unsegmented one, or a run of emoji. */
export type AtomKind = "word" | "run" | "emoji";

/** A stretch of text between two boundaries (SEA-17). */
export interface Atom {
  readonly kind: AtomKind;
  /** Its text, folded as the word index folds. */
  readonly text: string;
  /** Where it stands, in code units. */
  readonly start: number;
  readonly end: number;
}

function pointAt(text: string, index: number): number {
  return text.codePointAt(index) ?? 0;
}

function width(point: number): number {
  return point > 0xffff ? 2 : 1;
}

/** The end of a word: letters of one script with the digits and marks between them. A change of script ends it. */
function wordEnd(text: string, start: number): number {
  let script = 0;
  let index = start;
  while (index < text.length) {
    const point = pointAt(text, index);
    const kind = characterClass(point);
    if (!isWordClass(kind)) break;
    if (kind >= FIRST_SCRIPT) {
      if (script !== 0 && script !== kind) break;
      script = kind;
    }
    index += width(point);
  }
  return index;
}

function endOf(text: string, start: number, continues: (kind: number) => boolean): number {
  let index = start;
  while (index < text.length) {
    const point = pointAt(text, index);
    if (!continues(characterClass(point))) break;
    index += width(point);
  }
  return index;
}

/** Emoji are held together by joiners and glyph selectors. */
function isPicture(kind: number): boolean {
  return kind === PICTURE || kind === JOINER || kind === MARK;
}

function isUnsegmented(kind: number): boolean {
  return kind === UNSEGMENTED;
}

function atom(kind: AtomKind, text: string, start: number, end: number): Atom {
  const stretch = text.slice(start, end);
  return { kind, text: foldText(stretch), start, end };
}

/**
 * Cuts text into atoms; everything between them is punctuation or space. Linear in the text.
 *
 * @example
 * ```ts
 * readAtoms("修改youer服务端").map((atom) => atom.text); // ["修改", "youer", "服务端"]
 * ```
 */
export function readAtoms(text: string): readonly Atom[] {
  const atoms: Atom[] = [];
  let index = 0;
  while (index < text.length) {
    const point = pointAt(text, index);
    const kind = characterClass(point);
    const start = index;
    if (kind >= FIRST_SCRIPT || kind === NEUTRAL) {
      index = wordEnd(text, start);
      atoms.push(atom("word", text, start, index));
    } else if (kind === UNSEGMENTED) {
      index = endOf(text, start, isUnsegmented);
      atoms.push(atom("run", text, start, index));
    } else if (kind === PICTURE) {
      index = endOf(text, start, isPicture);
      atoms.push(atom("emoji", text, start, index));
    } else {
      index += width(point);
    }
  }
  return atoms;
}
