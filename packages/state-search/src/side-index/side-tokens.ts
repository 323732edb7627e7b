import { readAtoms } from "../meaning/read-atoms.js";

/** First letter of a token: what kind of thing it says is in a message. */
const KIND = { word: "w", run: "g", emoji: "e" } as const;

/** Longer words share the token of their beginning; which one stands in a message is for the judge to say. */
const LONGEST_WORD = 64;

/** The token of a word. */
export function wordToken(word: string): string {
  return KIND.word + word.slice(0, LONGEST_WORD);
}

/** The tokens of an unsegmented run: each character, and each two that stand together. */
function* runTokens(run: string): Generator<string> {
  let before = "";
  for (const character of run) {
    yield KIND.run + character;
    if (before !== "") yield KIND.run + before + character;
    before = character;
  }
}

/** The tokens that a message with this run in it has: a single character, or its pairs. */
export function wantedRunTokens(run: string): readonly string[] {
  const tokens = [...runTokens(run)];
  return tokens.length === 1 ? tokens : tokens.filter((_, index) => index > 0 && index % 2 === 0);
}

/** The tokens of a run of emoji: each of its characters. */
export function emojiTokens(run: string): readonly string[] {
  return Array.from(run, (character) => KIND.emoji + character);
}

/**
 * What the side index holds of a message: tokens without order, separated by spaces. They are letters and digits as its
 * tokenizer sees them, whatever the script.
 *
 * @param texts - See `messageTexts`.
 */
export function sideTokens(texts: readonly string[]): string {
  const tokens = new Set<string>();
  for (const text of texts) {
    for (const atom of readAtoms(text)) {
      if (atom.kind === "word") tokens.add(wordToken(atom.text));
      else for (const token of atom.kind === "run" ? runTokens(atom.text) : emojiTokens(atom.text)) tokens.add(token);
    }
  }
  return [...tokens].join(" ");
}
