import { foldText } from "./fold-text.js";

/**
 * What one character does in a text. Classes from {@link FIRST_SCRIPT} on are letters of a segmented script, one class
 * per script.
 */
export const SEPARATOR = 1;
/** Continues a word and belongs to no script: digits, letters that scripts share. */
export const NEUTRAL = 2;
/** Continues a word: combining marks, glyph selectors. */
export const MARK = 3;
/** A character of a script that is written without spaces. */
export const UNSEGMENTED = 4;
/** An emoji or a part of one. */
export const PICTURE = 5;
/** Continues emoji only: the zero-width joiner, tag characters. */
export const JOINER = 6;
/** First of the classes of letters. */
export const FIRST_SCRIPT = 16;

const SEGMENTED_SCRIPTS = [
  ..."Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati".split(" "),
  ..."Oriya Tamil Telugu Kannada Malayalam Sinhala Tibetan Georgian Ethiopic Cherokee Mongolian Yi Common".split(" "),
].map((name) => new RegExp(`\\p{Script=${name}}`, "u"));
const SHARED_LETTERS = SEGMENTED_SCRIPTS.length - 1;

// The planes U+2xxxx and U+3xxxx are set aside for Han, so extensions newer than this runtime count too. The sound and
// repeat marks of kana belong to no single script.
const UNSEGMENTED_SCRIPTS = "Han Hiragana Katakana Hangul Bopomofo Thai Lao Khmer Myanmar".split(" ");
const UNSEGMENTED_OTHERS =
  "\\u3006\\u3031-\\u3035\\u3099-\\u309c\\u30fc\\uff70\\uff9e\\uff9f\\u{20000}-\\u{2fffd}\\u{30000}-\\u{3fffd}";
const UNSEGMENTED_PATTERN = new RegExp(
  `(?![\\p{P}\\p{Sc}])[${UNSEGMENTED_SCRIPTS.map((name) => `\\p{Script=${name}}`).join("")}${UNSEGMENTED_OTHERS}]`,
  "u",
);
const LETTER = /[\p{L}\p{N}\p{Co}]/u;
const NUMBER = /[\p{N}\p{Co}]/u;
const MARK_PATTERN = /\p{M}/u;
const PICTURE_PATTERN = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1f3fb}-\u{1f3ff}]/u;
const JOINER_PATTERN = /[\u200d\u{e0020}-\u{e007f}]/u;

const classes = new Uint8Array(0x110000);

function classify(character: string): number {
  if (UNSEGMENTED_PATTERN.test(character)) return UNSEGMENTED;
  if (LETTER.test(character)) return NUMBER.test(character) ? NEUTRAL : letterClass(character);
  if (MARK_PATTERN.test(character)) return MARK;
  if (PICTURE_PATTERN.test(character)) return PICTURE;
  return JOINER_PATTERN.test(character) ? JOINER : SEPARATOR;
}

function letterClass(character: string): number {
  // The micro sign folds to a Greek letter: what is one letter when searched is of one script.
  const folded = foldText(character);
  const script = SEGMENTED_SCRIPTS.findIndex((pattern) => pattern.test(folded));
  if (script === SHARED_LETTERS) return NEUTRAL;
  return FIRST_SCRIPT + (script === -1 ? SHARED_LETTERS : script);
}

/**
 * The class of a code point, worked out once per process.
 *
 * Source of the rule: SEA-17, the scripts that are written without spaces are Han, kana, Hangul, Bopomofo, Thai, Lao,
 * Khmer and Myanmar; CJK punctuation is punctuation.
 */
export function characterClass(point: number): number {
  const known = classes[point] ?? SEPARATOR;
  if (known !== 0) return known;
  return (classes[point] = classify(String.fromCodePoint(point)));
}

/** True for a class that can stand in a word. */
export function isWordClass(kind: number): boolean {
  return kind >= FIRST_SCRIPT || kind === NEUTRAL || kind === MARK;
}
