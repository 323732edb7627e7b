import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import { importInto } from "@hermes/state-portability";
import type { StateStore } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { open } from "../support.js";
import { messagesOf, sessionsOf } from "./read-store.js";

type Json = Readonly<Record<string, unknown>>;

const jsonl = (lines: readonly unknown[], end = "\n"): string =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)) + end).join("");

function talk(store: StateStore, id: string): string[] {
  return messagesOf(store, id).map(({ role, text, calls, answers, state }) => {
    const marks = `${calls.length > 0 ? ` -> ${calls.join()}` : ""}${answers === null ? "" : ` <- ${answers}`}`;
    return `${state === "active" ? "" : `(${state}) `}${role}: ${text}${marks}`;
  });
}

/** Imports one file of a new store and tells what is there. */
async function take(
  home: TempHome,
  text: string | Buffer,
  options: { name?: string; from?: "claude-code" | "codex" | "pi" | "chatgpt"; keepGoing?: boolean } = {},
): Promise<{ store: StateStore; problems: readonly { line: number; code: string }[]; ids: string[] }> {
  const { name = "s.jsonl", ...how } = options;
  writeFileSync(home.file(name), text);
  const store = open(home.statePath);
  const { problems } = await importInto(store, home.file(name), how);
  return {
    store,
    problems: problems.map(({ line, code }) => ({ line, code })),
    ids: sessionsOf(store).map(({ id }) => id),
  };
}

const AT = "2026-03-01T10:00:00.000Z";
const C = "c1a0de00-0000-4000-8000-000000000001";
const says = (uuid: string, parentUuid: string | null, text: string, more: Json = {}): Json => ({
  parentUuid,
  isSidechain: false,
  sessionId: C,
  type: "user",
  message: { role: "user", content: text },
  uuid,
  timestamp: AT,
  ...more,
});
const reply = (uuid: string, parentUuid: string, text: string, more: Json = {}): Json => ({
  ...says(uuid, parentUuid, ""),
  type: "assistant",
  message: {
    id: `m-${uuid}`,
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    usage: { input_tokens: 1, output_tokens: 2 },
  },
  ...more,
});
const without = (line: Json, ...keys: string[]): Json =>
  Object.fromEntries(Object.entries(line).filter(([key]) => !keys.includes(key)));

const CHAIN = [says("u1", null, "one"), reply("a1", "u1", "two"), says("u2", "a1", "three"), reply("a2", "u2", "four")];
const SAID = ["user: one", "assistant: two", "user: three", "assistant: four"];

describe("variants of Claude Code's files", () => {
  it.each<[string, string | Buffer]>([
    ["with CRLF", jsonl(CHAIN, "\r\n")],
    ["with a byte order mark", `\uFEFF${jsonl(CHAIN)}`],
    ["with empty lines and no newline at the end", `\n\n${jsonl(CHAIN, "\n\n").trimEnd()}`],
    ["in another order", jsonl([...CHAIN].reverse())],
    ["without parents", jsonl(CHAIN.map((line) => without(line, "parentUuid")))],
    ["without times and folders", jsonl(CHAIN.map((line) => without(line, "timestamp", "isSidechain")))],
    ["with lines that are repeated", jsonl([...CHAIN, ...CHAIN])],
    ["with keys in another order", jsonl(CHAIN.map((line) => Object.fromEntries(Object.entries(line).reverse())))],
    ["without the ids of replies", jsonl(CHAIN).replace(/"id":"m-a\d",/g, "")],
    [
      "with lines of unknown types between",
      jsonl([
        { type: "new-thing", value: [1] },
        says("u1", null, "one"),
        { type: "link", uuid: "x", parentUuid: "u1", sessionId: C },
        reply("a1", "x", "two"),
        ...CHAIN.slice(2),
        { type: "file-history-snapshot", messageId: "u1", snapshot: {} },
      ]),
    ],
  ])("POR-05 gives the same talk %s", async (_title, text) => {
    using home = tempHome();
    const { store, problems, ids } = await take(home, text);
    using _ = store;
    expect([problems, ids, talk(store, C)]).toEqual([[], [C], SAID]);
    expect(store.sessions.get(C)).toMatchObject({ inputTokens: 2, outputTokens: 4 });
  });

  it("POR-05 takes the name of the file for a session that no line names, and keeps lines that have no uuid", async () => {
    using home = tempHome();
    const lines = CHAIN.map((line) => without(line, "sessionId", "uuid", "parentUuid"));
    const { store, ids } = await take(home, jsonl(lines), { name: `${C}.jsonl`, from: "claude-code" });
    using _ = store;
    expect([ids, talk(store, C)]).toEqual([[C], SAID]);
    expect(await importInto(store, home.file(`${C}.jsonl`), { from: "claude-code" })).toMatchObject({ skipped: 1 });
  });

  it("POR-05 holds a talk together around a line that is damaged", async () => {
    using home = tempHome();
    const { store, problems, ids } = await take(
      home,
      jsonl([says("u1", null, "one"), '{"type":"assistant","uuid":"a1', ...CHAIN.slice(2)]),
      { keepGoing: true },
    );
    using _ = store;
    expect(problems).toEqual([{ line: 2, code: "STATE_E_IMPORT_SYNTAX" }]);
    expect([ids, talk(store, C)]).toEqual([[C], ["user: one", "user: three", "assistant: four"]]);
  });

  it("POR-05 knows a file by its first line also when a picture makes that line long", async () => {
    using home = tempHome();
    const source = { type: "base64", media_type: "image/png", data: "A".repeat(400_000) };
    const content = [
      { type: "image", source },
      { type: "text", text: "look" },
    ];
    const { store } = await take(home, jsonl([says("u1", null, "", { message: { role: "user", content } })]));
    using _ = store;
    expect(talk(store, C)).toEqual(["user: [image_url] look"]);
  });

  it("POR-05 keeps calls and results without ids, and results before their calls are known", async () => {
    using home = tempHome();
    const use = { type: "tool_use", name: "Bash", input: { command: "ls" } };
    const { store } = await take(
      home,
      jsonl([
        says("u1", null, "go"),
        reply("a1", "u1", "", {
          message: { id: "m", role: "assistant", model: "m", content: [use, { ...use, id: "c2" }] },
        }),
        says("r1", "a1", "", {
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: "c2", content: null }] },
        }),
      ]),
    );
    using _ = store;
    expect(talk(store, C)).toEqual(["user: go", "assistant:  -> call-a1-0,c2", "tool:  <- c2"]);
    const metadata = store.read((r) => r.get("SELECT display_metadata AS m FROM messages WHERE role = 'assistant'"));
    expect(metadata).toEqual({ m: '{"unanswered_tool_calls": ["call-a1-0"]}' });
  });

  it("POR-05 finds a path once after somebody went back to it and on with it", async () => {
    using home = tempHome();
    const edited = [says("u1", null, "start"), says("u2", "u1", "first"), says("u3", "u1", "second")];
    const { store, ids } = await take(home, jsonl(edited));
    using _ = store;
    expect(ids).toEqual([C, `${C}.branch-u2`]);
    writeFileSync(home.file("s.jsonl"), jsonl([...edited, reply("a2", "u2", "back to the first")]));
    expect(await importInto(store, home.file("s.jsonl"))).toMatchObject({ grown: 1, imported: 1 });
    const active = "SELECT session_id AS id, content FROM messages WHERE active = 1 ORDER BY session_id, content";
    expect(store.read((r) => r.all(active))).toEqual([
      { id: C, content: "back to the first" },
      { id: C, content: "first" },
      { id: C, content: "start" },
      { id: `${C}.branch-u3`, content: "second" },
    ]);
    expect(await importInto(store, home.file("s.jsonl"))).toMatchObject({ grown: 0, imported: 0, skipped: 2 });
    writeFileSync(
      home.file("s.jsonl"),
      jsonl([...edited, reply("a2", "u2", "back to the first"), says("u4", "u3", "and forth")]),
    );
    await importInto(store, home.file("s.jsonl"));
    expect(
      talk(store, C)
        .filter((line) => !line.startsWith("(left)"))
        .toSorted(),
    ).toEqual(["user: and forth", "user: second", "user: start"]);
    expect(talk(store, `${C}.branch-u2`)).toEqual(["user: first", "assistant: back to the first"]);
    expect(talk(store, `${C}.branch-u3`)).toEqual(["(left) user: second"]);
  });

  it("POR-05 keeps numbers that are larger than a JavaScript number holds", async () => {
    using home = tempHome();
    const use = { type: "tool_use", id: "c1", name: "Send", input: { chat: "CHAT" } };
    const message = { id: "m", role: "assistant", model: "m", content: [use, { type: "new", id: "CHAT" }] };
    const lines = jsonl([says("u1", null, "go"), reply("a1", "u1", "", { message })]);
    const { store } = await take(home, lines.replaceAll('"CHAT"', "1234567890123456789"));
    using _ = store;
    const row = store.read((r) => r.get("SELECT tool_calls, content FROM messages WHERE role = 'assistant'"));
    expect(row).toEqual({
      tool_calls:
        '[{"id": "c1", "type": "function", "function": {"name": "Send", "arguments": "{\\"chat\\":1234567890123456789}"}}]',
      content: '\0json:[{"type": "new", "id": 1234567890123456789}]',
    });
  });

  it("POR-05 refuses what is nested without end, by its line", async () => {
    using home = tempHome();
    const deep = `{"type":"user","uuid":"u9","parentUuid":"a2","sessionId":"${C}","message":{"content":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
    const { store, problems } = await take(home, jsonl([...CHAIN, deep]), { keepGoing: true });
    using _ = store;
    expect(problems).toEqual([{ line: 5, code: "STATE_E_IMPORT_SHAPE" }]);
    expect(talk(store, C)).toEqual(SAID);
  });

  it("POR-05 reads a session of 30,000 lines in time that grows with their number", async () => {
    using home = tempHome();
    const lines = Array.from({ length: 30_000 }, (_, n) =>
      n % 2 === 0
        ? says(`l${n}`, n === 0 ? null : `l${n - 1}`, `q ${n}`)
        : { type: "progress", uuid: `l${n}`, parentUuid: `l${n - 1}`, sessionId: C, timestamp: AT },
    );
    const { store } = await take(home, jsonl(lines));
    using _ = store;
    expect(store.sessions.get(C)).toMatchObject({ messageCount: 15_000 });
  }, 30_000);
});

describe("folders of transcripts", () => {
  it("POR-05 takes a session that stands in several files once, also when an older copy comes last", async () => {
    using home = tempHome();
    const folder = home.file("projects");
    for (const name of ["a", "b", "c"]) mkdirSync(`${folder}/${name}`, { recursive: true });
    writeFileSync(`${folder}/a/s.jsonl`, jsonl(CHAIN.slice(0, 3)));
    writeFileSync(`${folder}/b/s.jsonl`, jsonl(CHAIN));
    writeFileSync(`${folder}/c/s.jsonl`, jsonl(CHAIN.slice(0, 2)));
    symlinkSync(`${folder}/b/s.jsonl`, `${folder}/link.jsonl`);
    symlinkSync(folder, `${folder}/loop`);
    using store = open(home.statePath);
    const planned = await importInto(store, folder, { dryRun: true });
    const report = await importInto(store, folder);
    expect(report).toMatchObject({ files: 3, imported: 1, grown: 1, skipped: 1, messages: 4 });
    expect(planned).toEqual({ ...report, dryRun: true });
    expect(talk(store, C)).toEqual(SAID);
    expect(await importInto(store, folder)).toMatchObject({ imported: 0, grown: 0, skipped: 3, messages: 0 });
  });

  it("POR-05 keeps the whole reply when an older copy has its beginning", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const part = (uuid: string, parent: string, stop: string | null, block: Json): Json =>
      reply(uuid, parent, "", {
        message: { id: "m", role: "assistant", model: "m", content: [block], stop_reason: stop },
      });
    const lines = [
      says("u1", null, "go"),
      part("a1", "u1", null, { type: "text", text: "on it" }),
      part("a2", "a1", "tool_use", { type: "tool_use", id: "c1", name: "Bash", input: {} }),
    ];
    writeFileSync(home.file("s.jsonl"), jsonl(lines));
    await importInto(store, home.file("s.jsonl"));
    writeFileSync(home.file("s.jsonl"), jsonl(lines.slice(0, 2)));
    expect(await importInto(store, home.file("s.jsonl"))).toMatchObject({ grown: 0, skipped: 1 });
    expect(talk(store, C)).toEqual(["user: go", "assistant: on it -> c1"]);
  });

  it("POR-05 names empty files and such of no known kind, and takes in the others", async () => {
    using home = tempHome();
    const folder = home.file("projects");
    mkdirSync(folder);
    writeFileSync(`${folder}/a.jsonl`, "");
    writeFileSync(`${folder}/b.json`, '{"some":"settings"}');
    writeFileSync(`${folder}/c.jsonl`, Buffer.from(jsonl(CHAIN), "utf16le"));
    writeFileSync(`${folder}/d.jsonl`, jsonl([{ type: "summary", summary: "of another file", leafUuid: "elsewhere" }]));
    writeFileSync(`${folder}/e.jsonl`, jsonl(CHAIN));
    using store = open(home.statePath);
    const report = await importInto(store, folder);
    expect(report).toMatchObject({ files: 5, imported: 1, failed: 3 });
    expect(report.problems.map(({ file, code }) => [file?.slice(folder.length + 1), code])).toEqual([
      ["a.jsonl", "STATE_E_IMPORT_FORMAT"],
      ["b.json", "STATE_E_IMPORT_FORMAT"],
      ["c.jsonl", "STATE_E_IMPORT_FORMAT"],
    ]);
  });
});
