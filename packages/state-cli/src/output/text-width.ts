const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|^[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const EMOJI = /^\p{Emoji_Presentation}|\ufe0f/u;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) || EMOJI.test(grapheme) ? 2 : 1;
}

/** Columns that text takes on a terminal: two for Chinese, Japanese, Korean and emoji, none for combining marks. */
export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/**
 * Cuts text to a number of columns and says so with an ellipsis; a character is never split.
 *
 * @param columns - At least 1.
 */
export function truncate(text: string, columns: number): string {
  if (text.length <= columns / 2 || textWidth(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
