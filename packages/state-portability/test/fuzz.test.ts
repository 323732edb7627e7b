import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isStateError, openStateStore } from "@hermes/state-core";
import type { StateStore } from "@hermes/state-core";
import { seedFor, tempHome, testClock, testRandom } from "@hermes/testkit";
import type { TestRandom } from "@hermes/testkit";
import { importInto } from "@hermes/state-portability";
import type { ExportFormat, ImportFormatName } from "@hermes/state-portability";
import { expect, it } from "vitest";
import { agentFolder } from "./agents/agent-files.js";
import { exported, streamOf } from "./support.js";

const ROUNDS = Number(process.env["HERMES_FUZZ_ROUNDS"] ?? 400);
const ROUNDS_PER_STORE = 100;
const LONGEST = 60_000;

interface Base {
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

function openFor(path: string): StateStore {
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

async function bases(path: string): Promise<readonly Base[]> {
  using store = filled(path);
  const own: Base[] = [];
  for (const [format, from] of OWN) own.push({ from, bytes: Buffer.from((await exported(store, { format })).text) });
  const samples = Object.entries(FOLDERS).flatMap(([folder, from]) =>
    samplesOf(agentFolder(folder)).map((bytes) => ({ from, bytes })),
  );
  return [...own, ...FOREIGN.map(([from, text]) => ({ from, bytes: Buffer.from(text) })), ...samples];
}

function samplesOf(folder: string): Buffer[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => /\.jsonl?$/.test(path) && statSync(path).size < LONGEST)
    .map((path) => readFileSync(path));
}

const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  2 ** 53,
  "",
  "\0",
  "\ud800",
  "x".repeat(600),
  [],
  {},
  [[]],
  true,
  "__proto__",
  { $int: "9" },
  { $text: "/w==" },
  { $blob: "!" },
];

/** Puts an odd value, a copy or nothing in the place of some part of a JSON value. */
function mutated(value: unknown, random: TestRandom, depth = 0): unknown {
  if (depth > 8 || random.next() < 0.15 || typeof value !== "object" || value === null) return random.pick(ODD);
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0) return random.pick(ODD);
  const [key, member] = random.pick<readonly [string, unknown]>(entries);
  const change = random.next();
  if (Array.isArray(value)) {
    const list: unknown[] = [...(value as unknown[])];
    const at = Number(key);
    if (change < 0.2) list.splice(at, 1);
    else if (change < 0.4) list.splice(at, 0, member);
    else list[at] = mutated(member, random, depth + 1);
    return list;
  }
  if (change < 0.2) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (change < 0.3)
    return Object.fromEntries([
      ...entries,
      [random.pick(entries)[0], random.pick(entries)[1]],
      ["odd", random.pick(ODD)],
    ]);
  return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? mutated(old, random, depth + 1) : old]));
}

function mutateJson(text: string, random: TestRandom): string {
  try {
    return JSON.stringify(mutated(JSON.parse(text), random));
  } catch {
    return text;
  }
}

function mutate(bytes: Buffer, random: TestRandom): Buffer {
  const kind = random.int(0, 5);
  if (kind === 0) return bytes.subarray(0, random.int(0, bytes.length));
  if (kind === 1) {
    const copy = Buffer.from(bytes);
    for (let count = random.int(1, 5); count > 0; count--) copy[random.int(0, copy.length - 1)] = random.int(0, 255);
    return copy;
  }
  const list = bytes.toString("utf8").split("\n");
  const at = random.int(0, list.length - 1);
  if (kind === 2) list.splice(at, random.int(0, 1), random.pick(list));
  else if (kind === 3) list.splice(at, 1);
  else
    for (let count = random.int(1, 3); count > 0; count--) {
      const where = random.int(0, list.length - 1);
      list[where] = mutateJson(list[where] ?? "", random);
    }
  return Buffer.from(list.join("\n"));
}

interface Rows {
  readonly sessions: number;
  readonly messages: number;
}

function rowsOf(store: StateStore): Rows {
  return store.read((r) =>
    r.get<Rows>(
      "SELECT (SELECT COUNT(1) FROM sessions) AS sessions, (SELECT COUNT(1) FROM messages) AS messages",
    ),
  )!;
}

/** One mutated file: what came in is what the report says, and what is refused is refused in our own words. */
async function importOne(store: StateStore, base: Base, bytes: Buffer, random: TestRandom): Promise<"in" | "refused"> {
  const before = rowsOf(store);
  const dryRun = random.next() < 0.1;
  try {
    const report = await importInto(store, streamOf(bytes), {
      from: random.next() < 0.5 ? base.from : "auto",
      mode: random.pick(["skip", "copy"] as const),
      keepGoing: random.next() < 0.6,
      dryRun,
    });
    const after = rowsOf(store);
    expect(after.sessions - before.sessions).toBe(dryRun ? 0 : report.imported);
    expect(after.messages - before.messages).toBe(dryRun ? 0 : report.messages);
    return "in";
  } catch (error) {
    if (!isStateError(error)) throw error;
    expect(error.code).toMatch(/^STATE_E_IMPORT_/);
    expect(rowsOf(store)).toEqual(before);
    return "refused";
  }
}

function checkStore(store: StateStore): void {
  const found = store.write("check", (w) => {
    for (const table of ["messages_fts", "messages_fts_trigram"])
      w.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    return [
      w.all("PRAGMA foreign_key_check"),
      w.all("SELECT key FROM state_meta WHERE key LIKE 'fts_rebuild%'"),
      w.all("SELECT id FROM messages WHERE session_id NOT IN (SELECT id FROM sessions)"),
    ];
  });
  expect(found).toEqual([[], [], []]);
}

it(
  `POR-02 POR-05 takes ${ROUNDS} mutated files whole or not at all, and names what is wrong in its own words`,
  { timeout: 60_000 + ROUNDS * 200 },
  async () => {
    using home = tempHome();
    const random = testRandom(seedFor("mutated exports"));
    const files = await bases(home.file("source.db"));
    const outcomes = { in: 0, refused: 0 };
    for (let round = 0; round < ROUNDS;) {
      using store = openFor(home.file(`fuzz-${round}.db`));
      for (const end = Math.min(ROUNDS, round + ROUNDS_PER_STORE); round < end; round++) {
        const base = random.pick(files);
        const bytes = mutate(base.bytes, random);
        try {
          outcomes[await importOne(store, base, bytes, random)] += 1;
        } catch (error) {
          throw new Error(`round ${round}, ${base.from}: ${bytes.toString("utf8").slice(0, 2000)}`, { cause: error });
        }
      }
      checkStore(store);
    }
    process.stderr.write(`${ROUNDS} mutated files: ${JSON.stringify(outcomes)}\n`);
    expect(Math.min(outcomes.in, outcomes.refused)).toBeGreaterThan(ROUNDS / 20);
  },
);
