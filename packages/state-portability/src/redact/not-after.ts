/**
 * A place that is not in the middle of a word: the beginning of a secret is found there only, since hashes and encoded
 * bytes are full of short beginnings. An escape of JSON before it, such as the letter of `\n`, is no word.
 *
 * @param characters - A class of the characters of words, such as `[a-z]`.
 */
export function notAfter(characters: string): string {
  return `(?:(?<!${characters})|(?<=\\\\(?:[nrtbf]|u[0-9a-fA-F]{4})))`;
}
