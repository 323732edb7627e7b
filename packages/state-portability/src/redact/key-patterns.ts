import { notAfter } from "./not-after.js";
import type { SecretPattern } from "./secret-pattern.js";

const KEY_BLOCK = "(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----";

const APART = notAfter("[A-Za-z0-9]");

const apart = (kind: string, needs: readonly string[], source: string): SecretPattern => ({
  kind,
  needs,
  pattern: new RegExp(APART + source, "g"),
});

/** Tokens of providers that are known by one beginning. */
const VENDOR_TOKENS = [
  "gsk_[A-Za-z0-9]{20,}",
  "xai-[A-Za-z0-9]{20,}",
  "pplx-[A-Za-z0-9]{20,}",
  "r8_[A-Za-z0-9]{20,}",
  "tvly-[A-Za-z0-9-]{20,}",
  "lin_api_[A-Za-z0-9]{20,}",
  "ntn_[A-Za-z0-9]{20,}",
  "shp(?:at|ca|pa|ss)_[A-Za-z0-9]{20,}",
  "dckr_[a-z]{3}_[A-Za-z0-9_-]{20,}",
  "do[opr]_v1_[a-f0-9]{20,}",
  "pypi-AgE[A-Za-z0-9_-]{20,}",
  "hv[bsr]\\.[A-Za-z0-9_-]{20,}",
  "sbp_[a-f0-9]{20,}",
  "figd_[A-Za-z0-9_-]{20,}",
  "gl(?:c|sa)_[A-Za-z0-9+/=_]{20,}",
  "dapi[a-f0-9]{32}",
  "sntry[su]_[A-Za-z0-9+/=_-]{20,}",
  "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,}",
  "AGE-SECRET-KEY-1[A-Z0-9]{20,}",
  "SK[a-f0-9]{32}",
  "sk_[a-f0-9]{40,}",
] as const;

/** What each of them has in front, as far as it is the same. */
const VENDOR_BEGINNINGS = VENDOR_TOKENS.map((source) => (/^[A-Za-z0-9_-]+/.exec(source)?.[0] ?? "").toLowerCase());

/** Secrets that are known by their own look. */
export const KEY_PATTERNS: readonly SecretPattern[] = [
  {
    kind: "private-key",
    needs: ["private key"],
    pattern: new RegExp(
      `-----BEGIN ${KEY_BLOCK}(?:[^-]|-(?!----(?:BEGIN|END) )){0,50000}(?:-----END ${KEY_BLOCK})?`,
      "g",
    ),
  },
  {
    kind: "jwt",
    needs: ["eyj"],
    pattern: new RegExp(
      notAfter("[A-Za-z0-9_-]") +
        "eyJ[A-Za-z0-9_-]{8,16384}\\.[A-Za-z0-9_-]{0,65536}\\.[A-Za-z0-9_-]*(?:\\.[A-Za-z0-9_-]{1,65536}){0,2}",
      "g",
    ),
  },
  apart("stripe-key", ["_live_", "_test_", "whsec_"], "(?:[prs]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}"),
  apart("api-key", ["sk-"], "sk-(?=[A-Za-z_-]{0,64}\\d)[A-Za-z0-9_-]{16,}"),
  apart(
    "github-token",
    ["gh", "github_pat_"],
    "(?:gh[oprsu]_[A-Za-z0-9_]{20,}(?:\\.[A-Za-z0-9_-]{10,4096}){0,2}|github_pat_[A-Za-z0-9_]{20,})",
  ),
  apart(
    "gitlab-token",
    ["gl", "gr1348941"],
    "(?:gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|wt)-|GR1348941)" +
      "[A-Za-z0-9_-]{16,}(?:\\.[A-Za-z0-9_-]{2,64}){0,2}",
  ),
  apart("aws-key", ["akia", "asia", "abia", "acca"], "A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16,}"),
  apart(
    "google-key",
    ["aiza", "ya29.", "gocspx-", "1//0"],
    "(?:AIza[A-Za-z0-9_-]{30,}|ya29\\.[A-Za-z0-9_.-]{20,}|GOCSPX-[A-Za-z0-9_-]{16,}|1//0[A-Za-z0-9_-]{30,})",
  ),
  apart(
    "azure-secret",
    ["q~", "azdo"],
    "(?:[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})",
  ),
  apart("slack-token", ["xox", "xapp-"], "(?:xox[a-z](?:\\.xox[a-z])?|xapp)-[A-Za-z0-9%+/=-]{10,}"),
  {
    kind: "slack-webhook",
    needs: ["hooks.slack.com"],
    pattern: /(?<keep>hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{10,}/g,
  },
  {
    kind: "discord-webhook",
    needs: ["/api/webhooks/"],
    pattern: /(?<keep>discord(?:app)?\.com\/api\/webhooks\/)\d{6,24}\/[A-Za-z0-9_-]{20,}/g,
  },
  {
    kind: "discord-token",
    pattern: new RegExp(
      notAfter("[A-Za-z0-9_-]") + "[MNO][A-Za-z0-9_-]{22,28}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}",
      "g",
    ),
  },
  { kind: "telegram-token", needs: [":aa"], pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,}/g },
  apart("npm-token", ["npm_"], "npm_[A-Za-z0-9]{30,}"),
  apart("huggingface-token", ["hf_", "api_org_"], "(?:hf|api_org)_[A-Za-z0-9]{20,}"),
  apart("api-key", VENDOR_BEGINNINGS, `(?:${VENDOR_TOKENS.join("|")})`),
];
