/** What a secret looks like. A group named `keep` stands before it and stays. */
export interface SecretPattern {
  /** Names the kind in `[REDACTED:<kind>]`: lower-case words with hyphens. */
  readonly kind: string;
  readonly pattern: RegExp;
}

const KEY_BLOCK = "(?:RSA |DSA |EC |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----";

/** Words that stand before a secret: `password=`, `"api_key": `. */
const NAMES =
  "(?:pass(?:word|wd|phrase)|pwd|secret|(?:api|access|private|secret)[_-]?key|(?:auth|access|refresh)?[_-]?token)";

/**
 * Common secrets (POR-06). Each is anchored at a place that cannot stand inside of its own match, and repeats without a
 * limit only at its end, so looking costs time in proportion to the text. The special ones come first.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    kind: "private-key",
    pattern: new RegExp(
      `-----BEGIN ${KEY_BLOCK}(?:[^-]|-(?!----(?:BEGIN|END) )){0,20000}(?:-----END ${KEY_BLOCK})?`,
      "g",
    ),
  },
  {
    kind: "jwt",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]*/g,
  },
  { kind: "stripe-key", pattern: /(?<![A-Za-z0-9])(?:[prs]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}/g },
  { kind: "api-key", pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}/g },
  { kind: "github-token", pattern: /(?<![A-Za-z0-9])(?:gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g },
  { kind: "gitlab-token", pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{16,}/g },
  { kind: "aws-key", pattern: /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16,}/g },
  { kind: "google-key", pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}/g },
  { kind: "slack-token", pattern: /(?<![A-Za-z0-9])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}/g },
  { kind: "slack-webhook", pattern: /(?<keep>hooks\.slack\.com\/services\/)[A-Za-z0-9/_-]{10,}/g },
  { kind: "discord-webhook", pattern: /(?<keep>discord(?:app)?\.com\/api\/webhooks\/)\d{6,24}\/[A-Za-z0-9_-]{20,}/g },
  {
    kind: "discord-token",
    pattern: /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g,
  },
  { kind: "telegram-token", pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,}/g },
  { kind: "npm-token", pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}/g },
  { kind: "huggingface-token", pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}/g },
  {
    kind: "url-password",
    pattern:
      /(?<keep>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>\\]{0,256}:)(?!\[REDACTED:)[^\s/@"'<>\\]{1,1024}(?=@)/gi,
  },
  {
    kind: "authorization",
    pattern: /(?<keep>(?<![A-Za-z])Bearer\s{1,8})[A-Za-z0-9._~+/=-]{8,}/gi,
  },
  {
    kind: "authorization",
    pattern: /(?<keep>(?<![A-Za-z])Basic\s{1,8})(?=[A-Za-z]{0,256}(?:[0-9+/=]|[a-z][A-Z]))[A-Za-z0-9+/=]{8,}/g,
  },
  {
    kind: "password",
    pattern: new RegExp(
      `(?<keep>${NAMES}\\\\{0,4}["']?\\s{0,4}(?:=>|[:=])\\s{0,4}\\\\{0,4}["']?)(?!\\[REDACTED:)` +
        "(?:(?<=[\"'])[^\"'\\\\\\r\\n]{3,}|[^\\s\"'\\\\&,;<>{}()[\\]]{4,})",
      "gi",
    ),
  },
];

/** Names of JSON members whose text is a secret, whatever it looks like. */
export const SECRET_NAME: RegExp = new RegExp(`${NAMES}$`, "i");
