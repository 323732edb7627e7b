import { characterClass, isWordClass } from "./character-class.js";

function startOfPoint(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
}

function isWordAt(text: string, index: number): boolean {
  return isWordClass(characterClass(text.codePointAt(index) ?? 0));
}

/** The index of the code point number `count`, or undefined when the text is not that long. */
function indexOfPoint(text: string, count: number): number | undefined {
  if (text.length <= count) return undefined;
  let index = 0;
  for (let seen = 0; seen < count && index < text.length; seen++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index < text.length ? index : undefined;
}

/**
 * Cuts a text after a number of characters, but never through a word: a part of a word is another word (SEA-02, Q197). An
 * unsegmented run may be cut anywhere.
 *
 * @param text - The text.
 * @param characters - How many code points to keep at most.
 * @returns The text itself when it is short enough.
 */
export function cutAtToken(text: string, characters: number): string {
  let end = indexOfPoint(text, characters);
  if (end === undefined) return text;
  if (!isWordAt(text, end)) return text.slice(0, end);
  while (end > 0) {
    const before = startOfPoint(text, end - 1);
    if (!isWordAt(text, before)) break;
    end = before;
  }
  return text.slice(0, end);
}
