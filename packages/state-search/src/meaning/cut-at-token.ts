import { characterClass, isWordClass } from "./character-class.js";
import { indexAfter } from "./first-characters.js";

function startOfPoint(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

function isWordAt(text: string, index: number): boolean {
  return isWordClass(characterClass(text.codePointAt(index) ?? 0));
}

/**
 * Cuts a text after a number of characters, but never through a word: a part of a word is another word (SEA-02). An
 * unsegmented run may be cut anywhere.
 *
 * @param text - The text.
 * @param characters - How many code points to keep at most.
 * @returns The text itself when it is short enough.
 */
export function cutAtToken(text: string, characters: number): string {
  let end = indexAfter(text, characters);
  if (end === undefined) return text;
  if (!isWordAt(text, end)) return text.slice(0, end);
  while (end > 0) {
    const before = startOfPoint(text, end - 1);
    if (!isWordAt(text, before)) break;
    end = before;
  }
  return text.slice(0, end);
}
