import { NEEDLE_BYTES } from "./needle-set.js";

/** Characters of one sample; a page boundary inside of it hides it, so a text gives several. */
const SAMPLE = 24;
const SAMPLE_EVERY = 1_500;
const MOST_SAMPLES = 8;
const SHORTEST_TEXT = 12;
const MOST_WORDS = 24;
const LONG_WORD = 10;
/** An index keeps of most words only what differs from the word before. */
const SHARED_BEGINNING = 4;

const WORD = /[\p{L}\p{N}]{6,}/gu;

function samplesOf(text: string): string[] {
  if (text.length < SHORTEST_TEXT) return [];
  const last = Math.max(0, text.length - SAMPLE);
  const count = Math.min(MOST_SAMPLES, 1 + Math.ceil(last / SAMPLE_EVERY));
  const samples = Array.from({ length: count }, (_, index) => {
    const at = count === 1 ? 0 : Math.floor((last * index) / (count - 1));
    return text.slice(at, at + SAMPLE);
  });
  // Cut between the halves of a character it would be found nowhere.
  return samples.map((sample) => sample.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, ""));
}

/** As JSON of either program spells it: with other characters as they are, or all of them in ASCII. */
function escaped(sample: string): string[] {
  const own = JSON.stringify(sample).slice(1, -1);
  const ascii = own.replace(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [own, ascii];
}

/** As a search index has words: in lower case, and without marks. */
export function folded(text: string): string {
  return text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of folded(text).matchAll(WORD)) {
    words.push(word);
    if (word.length >= LONG_WORD) words.push(word.slice(SHARED_BEGINNING));
    if (words.length >= MOST_WORDS) break;
  }
  return words;
}

/**
 * What the bytes of a file are searched for after a text was erased: samples of it as it is and as JSON spells it, and
 * its words as a search index keeps them.
 */
export function* needlesOf(text: string): Generator<string> {
  for (const sample of samplesOf(text.toWellFormed())) yield* new Set([sample, ...escaped(sample)]);
  yield* wordsOf(text);
}

/** True when a needle is long enough to mean something. */
export function isLongEnough(needle: Buffer): boolean {
  return needle.length >= NEEDLE_BYTES;
}
