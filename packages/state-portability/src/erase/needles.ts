import type { Room } from "./fingerprint-set.js";

/** Characters of one sample; a page boundary inside of it hides it, so a text gives several. */
const SAMPLE = 24;
const SAMPLE_EVERY = 1_500;
const MOST_SAMPLES = 8;
const SHORTEST_TEXT = 12;
const MOST_WORDS = 24;
const LONG_WORD = 10;
/** An index keeps of most words only what differs from the word before. */
const SHARED_BEGINNING = 4;

/** Bytes of one sample of a cell that is no text. */
const SAMPLE_BYTES = 48;
const SHORTEST_BYTES = 8;
/** Free space is full of one byte, and so are many files: fewer different ones would be found anywhere. */
const FEWEST_DISTINCT = 4;

const WORD = /[\p{L}\p{N}]{6,}/gu;

/** What stands for text that the driver could not decode; the file has other bytes there. */
const UNDECODED = /\uFFFD+/g;

/** Where samples begin: the first, the last, and some between. */
function* placesIn(length: number, sample: number, most: number): Generator<number> {
  const last = Math.max(0, length - sample);
  const count = Math.min(most, 1 + Math.ceil(last / SAMPLE_EVERY));
  for (let index = 0; index < count; index++) yield count === 1 ? 0 : Math.floor((last * index) / (count - 1));
}

function* samplesOf(text: string, most: number): Generator<string> {
  if (text.length < SHORTEST_TEXT) return;
  for (const at of placesIn(text.length, SAMPLE, most)) {
    // Cut between the halves of a character it would be found nowhere.
    const sample = text.slice(at, at + SAMPLE).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
    yield* sample.includes("\uFFFD") ? sample.split(UNDECODED) : [sample];
  }
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

function* wordsOf(text: string): Generator<string> {
  let count = 0;
  for (const [word] of folded(text).matchAll(WORD)) {
    yield word;
    if (word.length >= LONG_WORD) yield word.slice(SHARED_BEGINNING);
    if ((count += 1) >= MOST_WORDS) break;
  }
}

function* needlesOfText(text: string, room: Room): Generator<Buffer> {
  const most = room === "least" ? 1 : MOST_SAMPLES;
  for (const sample of samplesOf(text.toWellFormed(), most)) {
    const spellings = room === "least" ? [sample] : new Set([sample, ...escaped(sample)]);
    for (const spelling of spellings) yield Buffer.from(spelling);
  }
  if (room === "plenty") for (const word of wordsOf(text)) yield Buffer.from(word);
}

function* needlesOfBytes(bytes: Uint8Array, room: Room): Generator<Uint8Array> {
  if (bytes.length < SHORTEST_BYTES) return;
  for (const at of placesIn(bytes.length, SAMPLE_BYTES, room === "least" ? 1 : MOST_SAMPLES)) {
    const sample = bytes.subarray(at, at + SAMPLE_BYTES);
    if (new Set(sample).size >= FEWEST_DISTINCT) yield sample;
  }
}

/**
 * What the bytes of a file are searched for after a cell was erased: samples of a text as it is and as JSON spells it,
 * and its words as a search index keeps them; samples of other bytes.
 *
 * @param room - With little room left words are left out, with the least all but one sample.
 */
export function needlesOf(cell: string | Uint8Array, room: Room): Iterable<Uint8Array> {
  if (room === "none") return [];
  return typeof cell === "string" ? needlesOfText(cell, room) : needlesOfBytes(cell, room);
}
