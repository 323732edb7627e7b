import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import type { ExportFormat, ImportFormatName } from "@hermes/state-portability";
import { testClock } from "@hermes/testkit";
import { agentFolder } from "../agents/agent-files.js";
import { exported } from "../support.js";

const LONGEST = 60_000;

/** A file that is whole, to be mutated. */
export interface Base {
  readonly from: ImportFormatName;
  readonly bytes: Buffer;
}

const lines = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const AT = "2026-01-05T10:00:00.000Z";

/** Made-up transcripts of programs whose formats this stack does not write. */
const FOREIGN: readonly (readonly [ImportFormatName, string])[] = [
  [
    "claude-code",
    lines(
      { type: "summary", summary: "A trip", leafUuid: "u2" },
      {
        type: "user",
        uuid: "u1",
        parentUuid: null,
        sessionId: "c",
        timestamp: AT,
        cwd: "/w",
        message: { role: "user", content: "hi" },
      },
      {
        type: "assistant",
        uuid: "u2",
        parentUuid: "u1",
        sessionId: "c",
        timestamp: AT,
        message: {
          id: "m1",
          role: "assistant",
          model: "m",
          content: [
            { type: "thinking", thinking: "t", signature: "s" },
            { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } },
          ],
          usage: { input_tokens: 1, output_tokens: 2 },
        },
      },
      {
        type: "user",
        uuid: "u3",
        parentUuid: "u2",
        sessionId: "c",
        timestamp: AT,
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "out" }] },
      },
      {
        type: "user",
        uuid: "u4",
        parentUuid: "u1",
        isSidechain: true,
        sessionId: "c",
        timestamp: AT,
        message: { role: "user", content: "side" },
      },
    ),
  ],
  [
    "codex",
    lines(
      { timestamp: AT, type: "session_meta", payload: { id: "x", timestamp: AT, cwd: "/w", cli_version: "1" } },
      {
        timestamp: AT,
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
      },
      {
        timestamp: AT,
        type: "response_item",
        payload: { type: "function_call", name: "shell", arguments: "{}", call_id: "k" },
      },
      { timestamp: AT, type: "response_item", payload: { type: "function_call_output", call_id: "k", output: "out" } },
      { timestamp: AT, type: "compacted", payload: { message: "short" } },
      {
        timestamp: AT,
        type: "event_msg",
        payload: { type: "token_count", info: { total_token_usage: { input_tokens: 5, output_tokens: 1 } } },
      },
    ),
  ],
  [
    "pi",
    lines(
      { type: "session", version: 3, id: "p", timestamp: AT, cwd: "/w" },
      {
        type: "message",
        id: "a",
        parentId: null,
        timestamp: AT,
        message: { role: "user", content: "hi", timestamp: 1 },
      },
      {
        type: "message",
        id: "b",
        parentId: "a",
        timestamp: AT,
        message: { role: "assistant", content: [{ type: "text", text: "yes" }], usage: { input: 1, output: 1 } },
      },
    ),
  ],
  [
    "chatgpt",
    JSON.stringify([
      {
        id: "g",
        title: "Trip",
        create_time: 1.5,
        current_node: "b",
        mapping: {
          r: { id: "r", parent: null, children: ["a"], message: null },
          a: {
            id: "a",
            parent: "r",
            children: ["b"],
            message: {
              id: "a",
              author: { role: "user" },
              create_time: 2,
              content: { content_type: "text", parts: ["hi"] },
            },
          },
          b: {
            id: "b",
            parent: "a",
            children: [],
            message: { id: "b", author: { role: "assistant" }, content: { content_type: "text", parts: ["yes"] } },
          },
        },
      },
    ]),
  ],
];

const textOf = (format: ImportFormatName): string => FOREIGN.find(([name]) => name === format)?.[1] ?? "";
const said = (text: string): object => ({ role: "user", content: text });

/** The session of the first file, resumed into one of its own that repeats it. */
const RESUMED: readonly [ImportFormatName, string] = [
  "claude-code",
  textOf("claude-code").replaceAll('"sessionId":"c"', '"sessionId":"d"') +
    lines({ type: "user", uuid: "u5", parentUuid: "u3", sessionId: "d", timestamp: AT, message: said("on") }),
];
const FORKED: readonly [ImportFormatName, string] = [
  "pi",
  textOf("pi").replace('"id":"p"', '"id":"f","parentSession":"/s/p.jsonl"') +
    lines({ type: "message", id: "c", parentId: "b", timestamp: AT, message: said("on") }),
];

const OWN: readonly (readonly [ExportFormat, ImportFormatName])[] = [
  ["jsonl", "jsonl"],
  ["peer-jsonl", "peer"],
  ["openai", "openai"],
  ["sharegpt", "sharegpt"],
  ["atif", "atif"],
];
const FOLDERS: Readonly<Record<string, ImportFormatName>> = {
  "claude-code": "claude-code",
  codex: "codex",
  "openai-chat": "openai",
  "chatgpt-export": "chatgpt",
  "pi-openclaw": "pi",
  sharegpt: "sharegpt",
  atif: "atif",
};

/** Opens a store that need not survive a power cut. */
export function openFor(path: string): StateStore {
  return openStateStore({ path, clock: testClock(1_770_000_000), durability: "normal" });
}

function filled(path: string): StateStore {
  const store = openFor(path);
  store.sessions.create({ id: "one", source: "cli", title: "One", systemPrompt: "careful", modelConfig: { t: 1 } });
  store.messages.appendBatch("one", [
    { role: "user", content: [{ type: "text", text: "look 看" }] },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "k", type: "function", function: { name: "t", arguments: "{}" } }],
    },
    { role: "tool", content: "out", toolCallId: "k", toolName: "t" },
    { role: "assistant", content: "done", reasoning: "because" },
  ]);
  store.sessions.create({ id: "two", source: "cli", parentSessionId: "one" });
  store.messages.append("two", { role: "user", content: "again" });
  return store;
}

/** One file of every format, and the samples of other programs where this machine has them. */
export async function bases(path: string): Promise<readonly Base[]> {
  using store = filled(path);
  const own: Base[] = [];
  for (const [format, from] of OWN) own.push({ from, bytes: Buffer.from((await exported(store, { format })).text) });
  const samples = Object.entries(FOLDERS).flatMap(([folder, from]) =>
    samplesOf(agentFolder(folder)).map((bytes) => ({ from, bytes })),
  );
  const foreign = [...FOREIGN, RESUMED, FORKED].map(([from, text]) => ({ from, bytes: Buffer.from(text) }));
  return [...own, ...foreign, ...samples];
}

function samplesOf(folder: string): Buffer[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => /\.jsonl?$/.test(path) && statSync(path).size < LONGEST)
    .map((path) => readFileSync(path));
}
