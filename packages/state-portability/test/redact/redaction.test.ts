import { createHash } from "node:crypto";
import { tempHome } from "@hermes/testkit";
import { TABLES } from "@hermes/state-schema";
import type { StateStore } from "@hermes/state-core";
import { codecs, redact, SECRET_PATTERNS } from "@hermes/state-portability";
import { describe, expect, it } from "vitest";
import { exported, imported, open } from "../support.js";
import { A, CANARIES, NEAR_MISSES } from "./canaries.js";

const LISTED = Object.entries(CANARIES).flatMap(([kind, list]) =>
  list.map(([text, secret]) => ({ kind, text, secret })),
);
const ALL = LISTED.map(({ text }) => text);
const SECRETS = [...new Set(LISTED.map(({ secret }) => secret))];

/** JSON that holds each canary again: as a member, as a list, in a string that is JSON, under a telling name. */
const NESTED = JSON.stringify({
  list: ALL,
  inner: JSON.stringify({ deeper: JSON.stringify(ALL), api_key: A, dbPassword: `pa ss ${A}` }),
  headers: { Authorization: `Basic ${Buffer.from(`me:${A}`).toString("base64")}` },
});

function textColumns(table: "sessions" | "messages" | "session_model_usage"): string[] {
  return TABLES[table].columns.filter(({ type, name }) => type === "TEXT" && name !== "session_id").map((c) => c.name);
}

const LINKS_SQL = "SELECT parent_session_id AS parent, model_config AS config FROM sessions";

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

/** Secrets that come out in another spelling: escaped, or as Base64 at any of its three offsets. */
function decodedLeaks(text: string): string[] {
  const plain = text
    .replace(/\\+u00([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits)));
  const packed = SECRETS.flatMap((secret) =>
    ["", "x", "xx"].map((before) => {
      const bytes = Buffer.from(before + secret).toString("base64");
      return bytes.slice(before.length === 0 ? 0 : 4, bytes.length - 4);
    }),
  );
  return [...leaks(plain), ...packed.filter((piece) => text.includes(piece))];
}

describe("redaction", () => {
  it.each(LISTED)("POR-06 takes out $kind, in text and in JSON held as text: $text", ({ kind, text, secret }) => {
    const inText = [text, `before ${text} after`, `${text}\n${text}`];
    const inJson = [JSON.stringify({ a: [text] }), `\0json:${JSON.stringify([text])}`, JSON.stringify({ [text]: 1 })];
    const cutJson = [
      JSON.stringify({ a: text }).slice(0, -1),
      JSON.stringify(JSON.stringify({ a: text })).slice(0, -1),
    ];
    for (const value of [...inText, ...inJson, ...cutJson]) {
      const redacted = redact(value);
      expect(redacted).not.toContain(secret);
      if (!cutJson.includes(value)) expect(redacted).toContain(`[REDACTED:${kind}]`);
      expect(redact(redacted)).toBe(redacted);
    }
  });

  it("POR-06 has a canary for every kind", () => {
    expect(Object.keys(CANARIES).sort()).toEqual([...new Set(SECRET_PATTERNS.map(({ kind }) => kind))].sort());
  });

  it.each(NEAR_MISSES)("POR-06 leaves what is no secret: %s", (text) => {
    expect(redact(text)).toBe(text);
    expect(redact(JSON.stringify({ deep: JSON.stringify([text]) }))).toBe(
      JSON.stringify({ deep: JSON.stringify([text]) }),
    );
  });

  it("POR-06 leaves the spelling of JSON around a secret, and numbers that are none", () => {
    expect(redact('{"n": 1e400, "big": 90071992547409931,  "k": "password=hunter22", "z": NaN}')).toBe(
      '{"n": 1e400, "big": 90071992547409931,  "k": "password=[REDACTED:password]", "z": NaN}',
    );
    expect(redact('{"password": 12345678, "max_token": 128000, "\\u0070assword" : "kurz"}')).toBe(
      '{"password": "[REDACTED:password]", "max_token": 128000, "\\u0070assword" : "[REDACTED:password]"}',
    );
    expect(redact({ deep: [{ apiKey: "short", n: 1 }] })).toEqual({ deep: [{ apiKey: "[REDACTED:password]", n: 1 }] });
    expect(redact('{"passwords": ["ab", {"x": "ab"}, ["cd"]], "y": ["ab"]}')).toBe(
      '{"passwords": ["[REDACTED:password]", {"x": "ab"}, ["[REDACTED:password]"]], "y": ["ab"]}',
    );
    expect(JSON.parse(redact(NESTED))).toMatchObject({ list: expect.any(Array) as unknown });
    expect(leaks(redact(NESTED))).toEqual([]);
  });

  it("POR-06 keeps member names that become the same apart", () => {
    expect(redact({ [`ghp_${A}1`]: 1, [`ghp_${A}2`]: 2 })).toEqual({
      "[REDACTED:github-token]": 1,
      "[REDACTED:github-token]#2": 2,
    });
  });

  it("POR-06 looks into JSON in JSON, however deep, and into Base64, however it is wrapped", () => {
    let deep = JSON.stringify({ api_key: `kurz ${A}` });
    for (let level = 0; level < 12; level += 1) deep = JSON.stringify({ deep });
    expect(redact(deep)).not.toContain(A);
    const env = `# settings\nAPI_TOKEN=${A}\nOTHER=${"x".repeat(90)}\n`;
    const encoded = Buffer.from(env).toString("base64");
    const wrapped = encoded.replace(/.{76}/g, "$&\r\n");
    for (const given of [
      encoded,
      wrapped,
      `data:text/plain;base64,${encoded}`,
      Buffer.from(env).toString("base64url"),
    ]) {
      const redacted = redact(given);
      const [packed = ""] = /[\w+/-]{30,}={0,2}$/.exec(redacted) ?? [];
      expect(Buffer.from(packed, "base64").toString()).toBe(env.replace(A, "[REDACTED:password]"));
      expect(redact(redacted)).toBe(redacted);
    }
    const config = Buffer.from(JSON.stringify({ auths: { registry: { auth: "bWU6aHVudGVyMg==" } } })).toString(
      "base64",
    );
    expect(Buffer.from(redact(config), "base64").toString()).toContain("[REDACTED:password]");
  });

  it.each(Object.values(codecs).map(({ format }) => format))(
    "POR-06 lets no canary out as %s",
    async (format) => {
      for (const text of [ALL.join("\n"), NESTED]) {
        using home = tempHome();
        using store = open(home.statePath);
        plant(store, text);
        const { text: output, report } = await exported(store, { format, redact: true });
        expect(leaks(output), text.slice(0, 40)).toEqual([]);
        expect(decodedLeaks(output), text.slice(0, 40)).toEqual([]);
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
    expect(leaks(plain.text).length).toBeGreaterThan(1);
  });

  it("POR-06 COR-26 a redacted export comes in with its lineage, its branches and the results of its calls", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    using there = open(home.file("there.db"));
    const [root, tip, delegate, branch] = ["root", "tip", "delegate", "branch"].map(
      (name) => `${name}-ghp_${A}${name}1`,
    ) as [string, string, string, string];
    store.sessions.create({ id: root, source: "cli" });
    store.sessions.end(root, "compression");
    store.sessions.create({ id: tip, source: "cli", parentSessionId: root });
    const modelConfig = { _delegate_from: tip, password: "hunter22" };
    store.sessions.create({ id: delegate, source: "subagent", parentSessionId: tip, modelConfig });
    store.sessions.create({ id: branch, source: "cli", parentSessionId: tip, modelConfig: { _branched_from: tip } });
    const callIds = [1, 2].map((n) => `glpat-${A}${n}`);
    const toolCalls = callIds.map((id) => ({ id, type: "function", function: { name: "ls", arguments: "{}" } }));
    store.messages.appendBatch(tip, [
      { role: "user", content: "go" },
      { role: "assistant", content: "", toolCalls },
      ...callIds.map((toolCallId) => ({ role: "tool", content: "r", toolCallId, toolName: "ls" })),
    ]);
    const before = { chain: store.lineage.chain(tip).length, listed: store.sessions.list({}).sessions.length };
    const { text } = await exported(store, { format: "jsonl", redact: true });
    expect(leaks(text)).toEqual([]);
    expect(await imported(there, text)).toMatchObject({ imported: 4, failed: 0, detached: 0 });
    const rows = there.read((r) => r.all<Record<string, string>>(LINKS_SQL));
    const named = (marker: string): Record<string, string> | undefined =>
      rows.find(({ config }) => config?.includes(marker));
    const newTip = named("_delegate_from")?.["parent"] ?? "";
    const config = { _delegate_from: newTip, password: "[REDACTED:password]" };
    expect(JSON.parse(named("_delegate_from")?.["config"] ?? "")).toEqual(config);
    expect(JSON.parse(named("_branched_from")?.["config"] ?? "")).toEqual({ _branched_from: newTip });
    const listed = there.sessions.list({}).sessions.length;
    expect({ chain: there.lineage.chain(newTip).length, listed }).toEqual(before);
    const messages = there.messages.conversation(newTip).messages;
    const calls = (messages[1]?.toolCalls ?? []) as unknown as readonly { id: string }[];
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(messages.slice(2).map(({ toolCallId }) => toolCallId)).toEqual(calls.map(({ id }) => id));
  });
});
