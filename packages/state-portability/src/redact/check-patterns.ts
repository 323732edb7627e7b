import type { SecretPattern } from "./secret-patterns.js";
import { SECRET_PATTERNS } from "./secret-patterns.js";

/** Patterns beyond the built-in ones: a bare expression is of the kind `own`. */
export type OwnPatterns = readonly (RegExp | SecretPattern)[];

const KIND = /^[a-z][a-z0-9-]{0,39}$/;
/** A repeated group with a repetition in it, such as `(a+)+`, can take time without end. */
const NESTED_REPEAT = /\((?:[^()\\]|\\.)*(?:[*+]|\{\d+,\})(?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,)/;

/**
 * The built-in patterns and the given ones.
 *
 * @throws TypeError when one is no regular expression; RangeError when one matches nothing at all, repeats a
 * repetition, or has a kind that is no lower-case word.
 */
export function checkPatterns(own: OwnPatterns = []): readonly SecretPattern[] {
  return [...SECRET_PATTERNS, ...own.map(checkPattern)];
}

function checkPattern(given: RegExp | SecretPattern): SecretPattern {
  const { kind, pattern } = given instanceof RegExp ? { kind: "own", pattern: given } : given;
  if (!(pattern instanceof RegExp)) throw new TypeError("redact: a pattern must be a RegExp or { kind, pattern }.");
  if (typeof kind !== "string" || !KIND.test(kind))
    throw new RangeError(`redact: the kind ${JSON.stringify(kind)} must be lower-case words with hyphens.`);
  if (new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(""))
    throw new RangeError(`redact: the pattern ${String(pattern)} matches an empty text.`);
  if (NESTED_REPEAT.test(pattern.source))
    throw new RangeError(`redact: the pattern ${String(pattern)} repeats a repetition, which can take for ever.`);
  return { kind, pattern: new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`) };
}
