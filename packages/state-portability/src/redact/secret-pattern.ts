/** What a secret looks like. A group named `keep` stands before it and stays. */
export interface SecretPattern {
  /** Names the kind in `[REDACTED:<kind>]`: lower-case words with hyphens. */
  readonly kind: string;
  readonly pattern: RegExp;
  /** One of these stands in every match, in lower case: texts without any are not searched. */
  readonly needs?: readonly string[];
}
