/**
 * The index behind the first characters of a text, in code units.
 *
 * @param count - How many characters (code points).
 * @returns Undefined when the text is not longer than that.
 */
export function indexAfter(text: string, count: number): number | undefined {
  if (text.length <= count) return undefined;
  let index = 0;
  for (let seen = 0; seen < count && index < text.length; seen++) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index < text.length ? index : undefined;
}

/** The first characters of a text, none of them cut. */
export function firstCharacters(text: string, count: number): string {
  return text.slice(0, indexAfter(text, count));
}
