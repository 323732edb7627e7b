import { CONTEXT_PATTERNS } from "./context-patterns.js";
import { KEY_PATTERNS } from "./key-patterns.js";

/** What a secret looks like. A group named `keep` stands before it and stays. */
export interface SecretPattern {
  /** Names the kind in `[REDACTED:<kind>]`: lower-case words with hyphens. */
  readonly kind: string;
  readonly pattern: RegExp;
  /** One of these stands in every match, in lower case: texts without any are not searched. */
  readonly needs?: readonly string[];
}

/**
 * Common secrets (POR-06). Each is anchored at a place that cannot stand inside of its own match, so that looking costs
 * time in proportion to the text. The special ones come first: what they took out is left alone by the others.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [...KEY_PATTERNS, ...CONTEXT_PATTERNS];
