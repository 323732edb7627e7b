import { notAfter } from "./not-after.js";
import type { SecretPattern } from "./secret-pattern.js";

/** Words that stand before a secret: `password=`, `"api_key": `. */
const NAMES =
  "(?:pass(?:word|wd|phrase|code)|pwd|(?<![a-z0-9])[a-z0-9]{1,16}[_-]pass|secret" +
  "|(?:api|access|account|private|secret|signing|encryption|master)[ _-]?key|(?<![a-z])_auth" +
  "|(?:auth|access|refresh)?[_-]?token|connection[_-]?string)";

/** Header names whose value is a secret as a whole. */
const HEADERS = "(?:set-)?cookie|(?:proxy-)?authorization";

/** Names of JSON members whose text is a secret, whatever it looks like. */
export const SECRET_NAME: RegExp = new RegExp(`(?:${NAMES}s?|${HEADERS}|^auth|^pass)$`, "i");

/** Between a name and its value; quotes may be escaped when the text was cut out of JSON. */
const IS = "\\\\{0,15}[\"']?(?:\\s?\\[[^\\]\\n]{0,24}\\])?\\s{0,4}(?:=>|:=|[:=])\\s{0,4}";
/** Already taken out, the name of a variable, or a folder: the shell keeps the working one in `PWD`. */
const NOT_THESE = "(?!\\[REDACTED:|\\$[{(]|\\{\\{|%\\()(?!(?<=(?<![a-z_])(?:old)?pwd\\s?[:=]\\s?[\"']?)[/~.])";

const PLAIN = "[^\\s\"'\\\\&,;<>{}()[\\]]";

/** What stands between quotes with so many slashes before them, up to such a quote; those inside have more. */
const escaped = (slashes: number): string =>
  `(?<=(?<!\\\\)\\\\{${slashes}}["'])(?:(?!(?<!\\\\)\\\\{${slashes}}["'])(?:[^\\r\\n"]|(?<=\\\\)")){3,4096}`;

/** A value in quotes of any kind, or one without; in code, quotes tell a short name from the word. */
const ASSIGNED = new RegExp(
  `(?<keep>(?:${NAMES}|${notAfter("[a-z]")}pass(?=${IS}\\\\{0,15}["']))${IS}(?:\\\\{1,15}["']|["'])?)${NOT_THESE}(?:` +
    [
      '(?<=(?<!\\\\)")(?:[^"\\\\\\r\\n]|\\\\.){3,4096}',
      "(?<=(?<!\\\\)')(?:[^'\\\\\\r\\n]|\\\\.){3,4096}",
      ...[1, 3, 7, 15].map(escaped),
      `(?<!["'])(?:${PLAIN}|[,(){}[\\]](?=${PLAIN})){4,4096}`,
    ].join("|") +
    ")",
  "gi",
);

const header = (scheme: string, value: string): SecretPattern => ({
  kind: "authorization",
  needs: ["authorization"],
  pattern: new RegExp(`(?<keep>authorization${IS}\\\\{0,15}["']?${scheme})(?!\\[REDACTED:)${value}`, "gi"),
});

/** Secrets that are known by what stands before them, which stays. */
export const CONTEXT_PATTERNS: readonly SecretPattern[] = [
  {
    kind: "url-password",
    needs: ["://"],
    pattern:
      /(?<keep>(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>\\]{0,256}:)(?!\[REDACTED:)[^\s/"'<>\\]{1,1024}(?=@)/gi,
  },
  {
    kind: "signed-url",
    needs: ["sig=", "signature=", "token=", "credential="],
    pattern:
      /(?<keep>[?&](?:sig|signature|x-(?:amz|goog|ms)-(?:signature|security-token|credential))=)[A-Za-z0-9%+/=_-]{12,}/gi,
  },
  {
    kind: "cookie",
    needs: ["cookie"],
    pattern: new RegExp(
      `(?<keep>${notAfter("[a-z]")}(?:(?:set-)?cookie\\\\{0,15}["']?\\s{0,4}[:=]|--cookie)\\s{0,4}\\\\{0,15}["']?)` +
        "(?!\\[REDACTED:)[^\\s=;\"'\\\\]{1,128}=[^\\r\\n\"'\\\\]{1,8192}",
      "gi",
    ),
  },
  {
    kind: "authorization",
    needs: ["bearer"],
    pattern: new RegExp(
      `(?<keep>${notAfter("[a-z]")}Bearer\\s{1,8})` +
        "(?=[a-z._~+/=-]{0,256}\\d|[a-z0-9._~+/=-]{24})[a-z0-9._~+/=-]{8,}",
      "gi",
    ),
  },
  {
    kind: "authorization",
    needs: ["basic"],
    pattern: new RegExp(
      `(?<keep>${notAfter("[A-Za-z]")}Basic\\s{1,8})` + "(?=[A-Za-z]{0,256}(?:[0-9+/=]|[a-z][A-Z]))[A-Za-z0-9+/=]{8,}",
      "g",
    ),
  },
  header("(?:bearer|basic|token|api-?key|key|geniekey|oauth|ssws)\\s{1,4}", "[^\\s\"'\\\\]{4,}"),
  header("(?:digest|negotiate|ntlm|hawk|aws4-hmac-sha256)\\s{1,4}", "[^\\r\\n\\\\]{4,2048}"),
  header("", "(?=[^\\s\"'\\\\]{0,256}\\d)[^\\s\"'\\\\]{6,}"),
  { kind: "password", needs: ["pass", "pwd", "secret", "key", "_auth", "token", "string"], pattern: ASSIGNED },
];
