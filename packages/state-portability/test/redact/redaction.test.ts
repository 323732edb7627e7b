import { createHash } from "node:crypto";
import { tempHome } from "@hermes/testkit";
import { TABLES } from "@hermes/state-schema";
import type { StateStore } from "@hermes/state-core";
import { codecs, redact, SECRET_PATTERNS } from "@hermes/state-portability";
import { describe, expect, it } from "vitest";
import { exported, open } from "./support.js";

const A = "Zx9Kq2Lm7Np4Rt8Vw3Yb";
const KEY_BODY = `${A}${A}${A}\n${A}${A}${A}\n`;

/** A text with a secret of each kind, and the part of it that must not come out. */
const CANARIES: Readonly<Record<string, readonly [text: string, secret: string]>> = {
  "private-key": [`-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}-----END RSA PRIVATE KEY-----`, A],
  jwt: [`eyJhbGciOi${A}.eyJzdWIi${A}.${A}`, A],
  "stripe-key": [`sk_live_${A}`, A],
  "api-key": [`sk-proj-${A}`, A],
  "github-token": [`ghp_${A}1234`, A],
  "gitlab-token": [`glpat-${A}`, A],
  "aws-key": ["AKIAZX9KQ2LM7NP4RT8V", "ZX9KQ2LM7NP4RT8V"],
  "google-key": [`AIza${A}0123456789abcde`, A],
  "slack-token": [`xoxb-1234567890-${A}`, A],
  "slack-webhook": [`https://hooks.slack.com/services/T0/B0/${A}`, A],
  "discord-webhook": [`https://discord.com/api/webhooks/123456789012/${A}`, A],
  "discord-token": [`M${A}abcd.Gabcde.${A}01234567`, A],
  "telegram-token": [`123456789:AA${A}0123456789abc`, A],
  "npm-token": [`npm_${A}0123456789abcdef`, A],
  "huggingface-token": [`hf_${A}0123`, A],
  "url-password": [`postgres://me:${A}@db.example/x`, A],
  authorization: [`Authorization: Bearer ${A}`, A],
  password: [`password=${A}`, A],
};

const ALL = Object.values(CANARIES).map(([text]) => text);
const SECRETS = [...new Set(Object.values(CANARIES).map(([, secret]) => secret))];

/** JSON that holds each canary again: as a member, as a list, in a string that is JSON, under a telling name. */
const NESTED = JSON.stringify({
  list: ALL,
  inner: JSON.stringify({ deeper: JSON.stringify(ALL), api_key: A, dbPassword: `pa ss ${A}` }),
  headers: { Authorization: `Basic ${Buffer.from(`me:${A}`).toString("base64")}` },
});

function textColumns(table: "sessions" | "messages" | "session_model_usage"): string[] {
  return TABLES[table].columns.filter(({ type, name }) => type === "TEXT" && name !== "session_id").map((c) => c.name);
}

/** Columns whose values steer what is exported, or refer to rows: they are planted by themselves. */
const STEERING = new Set(["role", "display_kind", "system_prompt_hash", "parent_session_id", "id"]);

function plant(store: StateStore, text: string): void {
  store.sessions.create({ id: "s", source: "cli", systemPrompt: `be careful ${text}` });
  store.messages.appendBatch("s", [
    { role: "user", content: "x" },
    { role: "assistant", content: "y" },
  ]);
  store.messages.append("s", { role: "tool", content: "z", toolName: "t" });
  store.write("plant", (w) => {
    const [sessions, messages] = (["sessions", "messages"] as const).map((table) =>
      textColumns(table).filter((name) => !STEERING.has(name)),
    ) as [string[], string[]];
    for (const name of sessions) w.run(`UPDATE sessions SET ${name} = ?`, [text]);
    for (const name of messages) w.run(`UPDATE messages SET ${name} = ? || id`, [text]);
    w.run("UPDATE messages SET message_uid = NULL WHERE id > 1");
    const usage = textColumns("session_model_usage");
    w.run(
      `INSERT INTO session_model_usage (session_id, ${usage.join(", ")}) VALUES ('s', ${usage.map(() => "?").join(", ")})`,
      usage.map(() => text),
    );
  });
}

function leaks(text: string): string[] {
  return SECRETS.filter((secret) => text.includes(secret));
}

describe("redaction", () => {
  it.each(Object.entries(CANARIES))("POR-06 takes out %s, in text and in JSON held as text", (kind, [text, secret]) => {
    for (const value of [
      text,
      `before ${text} after`,
      JSON.stringify({ a: [text] }),
      `\0json:${JSON.stringify([text])}`,
    ]) {
      const redacted = redact(value);
      expect(redacted).not.toContain(secret);
      expect(redacted).toContain(`[REDACTED:${kind}]`);
      expect(redact(redacted)).toBe(redacted);
    }
    expect(SECRET_PATTERNS.map((pattern) => pattern.kind)).toContain(kind);
  });

  it("POR-06 has a canary for every kind", () => {
    expect(Object.keys(CANARIES).sort()).toEqual([...new Set(SECRET_PATTERNS.map(({ kind }) => kind))].sort());
  });

  it("POR-06 leaves ordinary text alone, and the spelling of JSON around a secret", () => {
    const plain = "Basic authentication, task-list sk-1, a token: no, see https://example.org:8080/x@y and 12:34";
    expect(redact(plain)).toBe(plain);
    expect(redact('{"n": 1e400, "big": 90071992547409931,  "k": "password=hunter22", "z": NaN}')).toBe(
      '{"n": 1e400, "big": 90071992547409931,  "k": "password=[REDACTED:password]", "z": NaN}',
    );
    expect(redact({ deep: [{ apiKey: "short", n: 1 }] })).toEqual({ deep: [{ apiKey: "[REDACTED:password]", n: 1 }] });
    expect(JSON.parse(redact(NESTED))).toMatchObject({ list: expect.any(Array) as unknown });
    expect(leaks(redact(NESTED))).toEqual([]);
  });

  it("POR-06 takes own patterns, and refuses what is none or could take for ever", () => {
    expect(redact("ticket ABC-123", [/ABC-\d+/])).toBe("ticket [REDACTED:own]");
    expect(redact("ticket ABC-123", [{ kind: "ticket", pattern: /ABC-\d+/y }])).toBe("ticket [REDACTED:ticket]");
    expect(() => redact("x", ["ABC" as unknown as RegExp])).toThrow(TypeError);
    for (const pattern of [/a*/, /(a+)+$/, /(?:\w*x)*y/]) expect(() => redact("x", [pattern])).toThrow(RangeError);
    expect(() => redact("x", [{ kind: "Not One", pattern: /a/ }])).toThrow(RangeError);
  });

  it("POR-06 the built-in patterns repeat without limit only where nothing can fail behind it", () => {
    for (const { pattern } of SECRET_PATTERNS) {
      const source = pattern.source.replace(/\[(?:[^\]\\]|\\.)*\]/g, "C").replace(/\\./g, "E");
      const open = [...source.matchAll(/(?:\*|\+|\{\d+,\})/g)].map(({ index, 0: found }) => index + found.length);
      for (const end of open) expect(source.slice(end)).toMatch(/^(?:\)|\|[^)]*\)|$)*$/);
    }
  });

  it.each(Object.values(codecs).map(({ format }) => format))(
    "POR-06 lets no canary out as %s",
    async (format) => {
      for (const text of [...ALL, NESTED]) {
        using home = tempHome();
        using store = open(home.statePath);
        plant(store, text);
        const { text: output, report } = await exported(store, { format, redact: true });
        expect(leaks(output), text.slice(0, 40)).toEqual([]);
        expect(Object.keys(report.redacted).length).toBeGreaterThan(0);
      }
    },
    120_000,
  );

  it("POR-06 keeps hashes and names consistent, counts by kind, and changes nothing the second time", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const id = `s-ghp_${A}1234`;
    store.sessions.create({ id, source: "cli", systemPrompt: `password=${A}` });
    store.sessions.create({ id: `t-ghp_${A}9999`, source: "cli", parentSessionId: id });
    store.messages.append(id, { role: "user", content: `AKIAZX9KQ2LM7NP4RT8V and ghp_${A}1234` });
    const { text, report } = await exported(store, { format: "jsonl", redact: true });
    expect(leaks(text)).toEqual([]);
    expect(report.redacted).toMatchObject({ "aws-key": 1, password: 1 });
    const sessions = text
      .split("\n")
      .filter((line) => line.startsWith('{"type":"session"'))
      .map((line) => JSON.parse(line) as { id: string; prompts?: Record<string, string>; row: Record<string, string> });
    const parent = sessions.find(({ prompts }) => prompts);
    const child = sessions.find(({ prompts }) => !prompts);
    expect(child?.row["parent_session_id"]).toBe(parent?.id);
    expect(child?.id).not.toBe(parent?.id);
    const [[hash, prompt]] = Object.entries(parent?.prompts ?? {}) as [[string, string]];
    expect(hash).toBe(createHash("sha256").update(prompt).digest("hex"));
    expect(parent?.row["system_prompt_hash"]).toBe(hash);
    expect(redact(text)).toBe(text);
    const plain = await exported(store, { format: "jsonl" });
    expect(plain.report.redacted).toEqual({});
    expect(leaks(plain.text)).toEqual(SECRETS.map((secret) => secret));
  });
});
