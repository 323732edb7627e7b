const SPACE = /[\s\p{Cc}]+/gu;

/**
 * What stands between two atoms, with every stretch of white space and control characters as one space, so that a line
 * break in a quoted phrase is no difference.
 */
export function readGap(text: string, from: number, to: number): string {
  return from === to ? "" : text.slice(from, to).replace(SPACE, " ");
}
