/** A word that no text holds by chance, with digits and both cases. */
export const A = "Zx9Kq2Lm7Np4Rt8Vw3Yb";
const UPPER = "ZX9KQ2LM7NP4RT8V";
const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const KEY_BODY = `${A}${A}${A}\n${A}${A}${A}\n`;

/** Texts with a secret, by kind, each with the part of it that must not come out. */
export const CANARIES: Readonly<Record<string, readonly (readonly [text: string, secret: string])[]>> = {
  "private-key": [
    [`-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}-----END RSA PRIVATE KEY-----`, A],
    [`-----BEGIN OPENSSH PRIVATE KEY-----\n${KEY_BODY}`, A],
    [`-----BEGIN PRIVATE KEY-----\\n${A}\\n-----END PRIVATE KEY-----\\n`, A],
    [`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${KEY_BODY}-----END PGP PRIVATE KEY BLOCK-----`, A],
  ],
  jwt: [
    [`eyJhbGciOi${A}.eyJzdWIi${A}.${A}`, A],
    [`eyJhbGciOi${A}..${A}.${A}.${A}`, A],
  ],
  "stripe-key": [
    [`sk_live_${A}`, A],
    [`rk_test_${A}`, A],
    [`whsec_${A}`, A],
  ],
  "api-key": [
    [`sk-proj-${A}`, A],
    [`sk-ant-api03-${A}-${A}`, A],
    [`sk-or-v1-${HEX}`, HEX],
    [`gsk_${A}${A}`, A],
    [`xai-${A}${A}`, A],
    [`dckr_pat_${A}`, A],
    [`SG.${A}.${A}${A}`, A],
    [`hvs.${A}${A}`, A],
    [`pypi-AgEIcHlwaS5vcmc${A}`, A],
    [`dop_v1_${HEX}`, HEX],
  ],
  "github-token": [
    ...["ghp", "gho", "ghu", "ghs", "ghr"].map((prefix) => [`${prefix}_${A}1234`, A] as const),
    [`github_pat_11ABCDEFG0_${A}`, A],
  ],
  "gitlab-token": ["glpat", "gldt", "glrt", "glcbt", "glptt", "glagent", "gloas"].map(
    (prefix) => [`${prefix}-${A}`, A] as const,
  ),
  "aws-key": [
    [`AKIA${UPPER}`, UPPER],
    [`ASIA${UPPER}`, UPPER],
  ],
  "google-key": [
    [`AIza${A}0123456789abcde`, A],
    [`ya29.a0${A}${A}`, A],
    [`GOCSPX-${A}12345678`, A],
  ],
  "azure-secret": [[`abc8Q~${A}${A}`, A]],
  "slack-token": [
    [`xoxb-1234567890-${A}`, A],
    [`xoxe.xoxp-1-${A}`, A],
    [`xapp-1-A0123-${A}`, A],
  ],
  "slack-webhook": [[`https://hooks.slack.com/services/T0/B0/${A}`, A]],
  "discord-webhook": [[`https://discord.com/api/webhooks/123456789012/${A}`, A]],
  "discord-token": [[`M${A}abcd.Gabcde.${A}01234567`, A]],
  "telegram-token": [[`123456789:AA${A}0123456789abc`, A]],
  "npm-token": [[`npm_${A}0123456789abcdef`, A]],
  "huggingface-token": [[`hf_${A}0123`, A]],
  "url-password": [
    [`postgres://me:${A}@db.example/x`, A],
    [`redis://:${A}@cache:6379/0`, A],
    [`mongodb+srv://me:p@${A}@cluster.example/x`, A],
    [`https://x-access-token:${A}@git.example/a/b.git`, A],
  ],
  "signed-url": [
    [`https://a.blob.core.windows.net/c/f?sv=2022&sig=${A}%3D`, A],
    [`https://b.s3.amazonaws.com/k?X-Amz-Signature=${HEX}`, HEX],
  ],
  cookie: [
    [`Cookie: theme=dark; session=${A}`, A],
    [`set-cookie: sid=${A}; Path=/; HttpOnly`, A],
    [`curl --cookie "sid=${A}"`, A],
  ],
  authorization: [
    [`Authorization: Bearer ${A}`, A],
    [`authorization: Basic ${Buffer.from(`me:${A}`).toString("base64")}`, Buffer.from(`me:${A}`).toString("base64")],
    [`Authorization: token ${A}`, A],
    [`Proxy-Authorization: ${A}`, A],
    [`Authorization: AWS4-HMAC-SHA256 Credential=x/y, Signature=${HEX}`, HEX],
    ['-H "Authorization: Bearer hunterhunter"', "hunterhunter"],
  ],
  password: [
    [`password=${A}`, A],
    [`DB_PASS=${A}`, A],
    [`export PGPASSWORD='it"s ${A}'`, A],
    [`password: "ab\\"${A}"`, A],
    [`PASSWORD=a,b(${A}`, A],
    [`Server=db;Database=x;User Id=me;Password=${A};Encrypt=true`, A],
    [`DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${A}${A}==;EndpointSuffix=y`, A],
    [`Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=${A}=`, A],
    [`aws_secret_access_key = ${A}`, A],
    [`AWS Secret Access Key [None]: ${A}`, A],
    [`//registry.example/:_authToken=${A}`, A],
    [`_auth=${A}`, A],
    [`{"client_secret": "${A}"`, A],
    [`{\\"api_key\\": \\"${A}\\"`, A],
    [`x-api-key: ${A}`, A],
    [`auth: { user: 'me', pass: '${A}' }`, A],
    [`api_key => "${A}"`, A],
    [`token := "${A}"`, A],
  ],
};

/** Texts that look a little like secrets, and are none. */
export const NEAR_MISSES: readonly string[] = [
  "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
  "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  `sha256:${HEX}`,
  `data:image/png;base64,${Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 37) % 256)).toString("base64")}`,
  Buffer.from("The quick brown fox jumps over the lazy dog, twice a day.").toString("base64"),
  "-----BEGIN CERTIFICATE-----\nMIIB9f86d081884c7d659a2feaa0c55ad015\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMIIB9f86d081884c7d659a2feaa0c55ad015\n-----END PUBLIC KEY-----",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9f86d081884c7d659a2feaa0c55ad0 me@host",
  "Basic authentication, task-list sk-1, a token: no, see https://example.org:8080/x@y and 12:34",
  "the bearer instruments of the realm, and a spinner of the class sk-chasing-dot-container",
  "PWD=/srv/work OLDPWD=/srv pwd: /tmp/x",
  "fetch(url, { credentials: 'include' }) on the first pass: results were fine",
  "max_tokens: 4096, total_tokens=128000, tokenizer=cl100k_base",
  "git@github.com:someone/repository.git and ssh://git@host.example/x",
  "password=${DB_PASSWORD} token=$(cat file) secret: {{ vault.x }}",
  "/usr/local/lib/node_modules/@scope/package/dist/index.js:10:20",
  "global-navigation-component-with-glossary and npm_config_registry_of_ours",
  "2026-02-02T02:40:00Z 198.51.100.7:8080 [::1]:5432",
  "eyJ is how such a token begins; AKIA is another beginning, and ghp_ a third",
  "The cookie: two cups of flour. Authorization: see the manual of the house.",
];
