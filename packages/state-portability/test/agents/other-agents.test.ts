import { appendFileSync, writeFileSync } from "node:fs";
import { tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import { importInto } from "@hermes/state-portability";
import type { StateStore } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { open } from "../support.js";
import { agentFolder, describeAgent } from "./agent-files.js";
import { messagesOf, sessionsOf } from "./read-store.js";

/** Writes lines of JSON, as the programs do. */
function writeLines(home: TempHome, name: string, lines: readonly unknown[]): string {
  const path = home.file(name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

/** What a session says, one line per message: role, text, calls and what it answers. */
function talk(store: StateStore, id: string): string[] {
  return messagesOf(store, id).map(({ role, text, calls, answers, state }) =>
    [
      state === "active" ? "" : `(${state}) `,
      `${role}: ${text}`,
      calls.length ? ` -> ${calls.join()}` : "",
      answers ? ` <- ${answers}` : "",
    ].join(""),
  );
}

const THREAD = "019b9288-d680-7101-8000-000000000101";
const item = (payload: object): object => ({ timestamp: "2026-01-06T09:00:00.000Z", type: "response_item", payload });
const event = (payload: object): object => ({ timestamp: "2026-01-06T09:00:00.000Z", type: "event_msg", payload });
const says = (role: string, text: string): object =>
  item({ type: "message", role, content: [{ type: "input_text", text }] });
const meta = (more: object = {}): object => ({
  timestamp: "2026-01-06T09:00:00.000Z",
  type: "session_meta",
  payload: { id: THREAD, timestamp: "2026-01-06T09:00:00.000Z", cwd: "/srv/app", ...more },
});

describe("rollouts of Codex", () => {
  it("POR-05 pairs calls, leaves echoes and wrappers out, keeps thoughts with the reply they led to", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const path = writeLines(home, "r.jsonl", [
      meta(),
      says("user", "<environment_context>cwd</environment_context>"),
      says("developer", "be brief"),
      says("user", "list 一覧"),
      event({ type: "user_message", message: "list 一覧" }),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "Look." }], encrypted_content: "e" }),
      item({ type: "function_call", name: "shell", arguments: "{}", call_id: "c1" }),
      item({ type: "function_call", name: "shell", arguments: "{}", call_id: "c2" }),
      item({ type: "function_call_output", call_id: "c2", output: "two" }),
      item({ type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "one" }] }),
      { timestamp: "2026-01-06T09:00:00.000Z", type: "sample_unknown", payload: {} },
      says("assistant", "Done."),
    ]);
    await importInto(store, path);
    expect(talk(store, THREAD)).toEqual([
      "user: list 一覧",
      "assistant:  -> c1,c2",
      "tool: two <- c2",
      "tool: one <- c1",
      "assistant: Done.",
    ]);
    expect(store.messages.page(THREAD, { limit: 2 }).messages[1]).toMatchObject({ reasoning: "Look." });
  });

  it("POR-05 counts each request once, without what was cached", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const usage = { input_tokens: 100, cached_input_tokens: 60, output_tokens: 7, reasoning_output_tokens: 3 };
    const count = event({ type: "token_count", info: { total_token_usage: usage, last_token_usage: usage } });
    await importInto(store, writeLines(home, "r.jsonl", [meta(), says("user", "hi"), count, count]));
    expect(store.sessions.get(THREAD)).toMatchObject({ inputTokens: 40, cacheReadTokens: 60, outputTokens: 7 });
  });

  it("POR-05 makes a branch of what was rolled back, and archives what a compaction stands for", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const path = writeLines(home, "r.jsonl", [
      meta(),
      says("user", "one"),
      says("assistant", "first"),
      { timestamp: "2026-01-06T09:00:00.000Z", type: "compacted", payload: { message: "In short." } },
      says("user", "two"),
      says("assistant", "second"),
      event({ type: "thread_rolled_back", num_turns: 1 }),
      says("user", "other two"),
    ]);
    await importInto(store, path);
    expect(talk(store, THREAD)).toEqual([
      "(compacted) user: one",
      "(compacted) assistant: first",
      "user: In short.",
      "user: other two",
    ]);
    const [left] = sessionsOf(store).filter(({ parent }) => parent === THREAD);
    expect(talk(store, left?.id ?? "")).toEqual(["user: two", "assistant: second"]);
    expect(store.messages.recentUserTurns(THREAD, 5).map(({ preview }) => preview)).toEqual(["other two"]);
  });
});

const entry = (id: string, parentId: string | null, message: object): object => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-01-08T10:00:00.000Z",
  message,
});

describe("sessions of pi and OpenClaw", () => {
  it("POR-05 follows the tree, keeps other paths as branches and a leaf that was moved", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const path = writeLines(home, "s.jsonl", [
      { type: "session", version: 3, id: "pi-1", timestamp: "2026-01-08T10:00:00.000Z", cwd: "/srv/app" },
      entry("a", null, { role: "user", content: "start" }),
      entry("b", "a", {
        role: "assistant",
        content: [
          { type: "text", text: "ok" },
          { type: "toolCall", id: "c1", name: "bash", arguments: {} },
        ],
        model: "m",
        usage: { input: 3, output: 2, cost: { total: 0.5 } },
      }),
      entry("c", "b", {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "bash",
        content: [{ type: "text", text: "out" }],
      }),
      entry("d", "c", { role: "user", content: "left behind" }),
      entry("e", "c", { role: "user", content: "gone on with" }),
      entry("f", "d", { role: "user", content: "left behind, too" }),
      { type: "leaf", id: "g", parentId: "f", targetId: "e" },
    ]);
    await importInto(store, path);
    expect(talk(store, "pi-1")).toEqual([
      "user: start",
      "assistant: ok -> c1",
      "tool: out <- c1",
      "user: gone on with",
    ]);
    expect(talk(store, "pi-1.branch-d")).toEqual(["user: left behind", "user: left behind, too"]);
    expect(store.sessions.get("pi-1")).toMatchObject({ inputTokens: 3, outputTokens: 2, actualCostUsd: 0.5 });
  });

  it("POR-05 reads the first version, whose lines have no ids", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const path = writeLines(home, "s.jsonl", [
      { type: "session", id: "pi-1", timestamp: "2026-01-08T10:00:00.000Z" },
      { type: "message", timestamp: "2026-01-08T10:00:00.000Z", message: { role: "user", content: "one" } },
      {
        type: "message",
        timestamp: "2026-01-08T10:00:01.000Z",
        message: { role: "assistant", content: [{ type: "text", text: "two" }] },
      },
    ]);
    await importInto(store, path);
    expect(talk(store, "pi-1")).toEqual(["user: one", "assistant: two"]);
  });
});

describe("exports of ChatGPT", () => {
  it("POR-05 walks from the shown leaf, makes branches of the others, survives rings and missing nodes", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const node = (id: string, parent: string | null, role: string, text: string): object => ({
      id,
      parent,
      message: { id, author: { role }, create_time: 1_767_700_000, content: { content_type: "text", parts: [text] } },
    });
    const mapping = {
      leaf: node("leaf", "q2", "assistant", "two"),
      q1: node("q1", "root", "user", "first wording"),
      q2: node("q2", "root", "user", "second wording"),
      root: { id: "root", parent: null, message: null },
      ring: node("ring", "ring", "user", "alone"),
      lost: node("lost", "nowhere", "user", "without parent"),
    };
    writeFileSync(
      home.file("conversations.json"),
      JSON.stringify([{ id: "c-1", title: "旅行", mapping, current_node: "leaf" }]),
    );
    expect(await importInto(store, home.file("conversations.json"))).toMatchObject({ format: "chatgpt" });
    expect(talk(store, "c-1")).toEqual(["user: second wording", "assistant: two"]);
    const branches = sessionsOf(store).filter(({ parent }) => parent === "c-1");
    expect(
      branches
        .map(({ id }) => talk(store, id))
        .flat()
        .sort(),
    ).toEqual(["user: alone", "user: first wording", "user: without parent"]);
  });
});

describe("lists of messages", () => {
  it("POR-05 gives the same ids at every reading, adds what is new, and never overwrites a talk that begins alike", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const start = [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
    ];
    const path = home.file("messages.json");
    writeFileSync(path, JSON.stringify(start));
    expect(await importInto(store, path)).toMatchObject({ format: "openai", imported: 1 });
    writeFileSync(path, JSON.stringify([...start, { role: "user", content: "more" }]));
    expect(await importInto(store, path)).toMatchObject({ imported: 0, grown: 1, messages: 1 });
    writeFileSync(path, JSON.stringify([...start, { role: "user", content: "something else" }]));
    expect(await importInto(store, path)).toMatchObject({ imported: 0, grown: 0, skipped: 1 });
    expect(talk(store, sessionsOf(store)[0]?.id ?? "")).toEqual(["user: hello", "assistant: hi", "user: more"]);
  });

  it("POR-05 takes a line for each talk, two that are equal as two, and names lines that hold none", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const say = [{ role: "user", content: "hello" }];
    const path = writeLines(home, "b.jsonl", [say, { messages: say, tools: [] }, { other: 1 }]);
    const report = await importInto(store, path, { keepGoing: true });
    expect(report).toMatchObject({ imported: 2, problems: [{ line: 3, code: "STATE_E_IMPORT_SHAPE" }] });
    expect(await importInto(store, path, { keepGoing: true })).toMatchObject({ imported: 0, skipped: 2 });
  });

  it("POR-05 reads ShareGPT with other names for the roles, pairing results by position", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const conversations = [
      { from: "human", value: "time? 時間" },
      { from: "function_call", value: '{"name":"clock","arguments":{"tz":"UTC"}}' },
      { from: "observation", value: "09:30" },
      { from: "chatgpt", value: "09:30 UTC" },
    ];
    writeFileSync(home.file("d.json"), JSON.stringify([{ id: "t-1", system: "Be brief.", conversations }]));
    expect(await importInto(store, home.file("d.json"))).toMatchObject({ format: "sharegpt" });
    expect(talk(store, "t-1")).toEqual([
      "user: time? 時間",
      "assistant:  -> call-1",
      "tool: 09:30 <- call-1",
      "assistant: 09:30 UTC",
    ]);
  });
});

describe("trajectories", () => {
  it("POR-05 makes delegated sessions of embedded ones, leaves copied context out and tells costs", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const step = (step_id: number, source: string, message: string, more: object = {}): object => ({
      step_id,
      source,
      message,
      ...more,
    });
    const root = {
      schema_version: "ATIF-v1.7",
      trajectory_id: "t-main",
      agent: { name: "a", version: "1", model_name: "m" },
      steps: [
        step(1, "user", "told before", { is_copied_context: true }),
        step(2, "user", "go"),
        step(3, "agent", "delegating", {
          tool_calls: [{ tool_call_id: "c1", function_name: "delegate", arguments: {} }],
          observation: {
            results: [{ source_call_id: "c1", content: "done", subagent_trajectory_ref: [{ trajectory_id: "t-sub" }] }],
          },
          metrics: { prompt_tokens: 10, cached_tokens: 4, completion_tokens: 2, cost_usd: 0.25 },
        }),
      ],
      subagent_trajectories: [
        { trajectory_id: "t-sub", agent: { name: "b", version: "1" }, steps: [step(1, "user", "sub")] },
      ],
    };
    writeFileSync(home.file("trajectory.json"), JSON.stringify(root));
    await importInto(store, home.file("trajectory.json"));
    expect(talk(store, "t-main")).toEqual(["user: go", "assistant: delegating -> c1", "tool: done <- c1"]);
    expect(store.sessions.get("t-main")).toMatchObject({ inputTokens: 6, cacheReadTokens: 4, actualCostUsd: 0.25 });
    expect(sessionsOf(store)).toContainEqual({ id: "t-sub", parent: "t-main", title: null });
  });
});

describe("a folder of many programs", () => {
  it("P21 POR-05 imports every readable file, names the damaged one, and takes in a later file alone", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    for (let n = 0; n < 20; n += 1) {
      writeLines(home, `in-${n}.jsonl`, [
        meta({ id: `00000000-0000-7000-8000-${String(n).padStart(12, "0")}` }),
        says("user", `C:\\work\\${n}`),
      ]);
    }
    writeFileSync(home.file("in-7.jsonl"), '{"timestamp":"2026-01-06T09:00:00.000Z","type":"sess');
    const folder = home.file(".");
    const first = await importInto(store, folder);
    expect(first).toMatchObject({ files: 20, imported: 19, failed: 1, problems: [{ file: home.file("in-7.jsonl") }] });
    writeLines(home, "later.jsonl", [meta(), says("user", "later")]);
    expect(await importInto(store, folder)).toMatchObject({ imported: 1, skipped: 19, failed: 1 });
    appendFileSync(home.file("later.jsonl"), `${JSON.stringify(says("assistant", "grown"))}\n`);
    expect(await importInto(store, folder)).toMatchObject({ imported: 0, grown: 1, messages: 1 });
  });
});

const EXPECTED: readonly {
  readonly format: string;
  readonly sessions: Readonly<Record<string, number>>;
  readonly failed: number;
}[] = [
  {
    format: "codex",
    failed: 2,
    sessions: {
      "019b9288-d680-7101-8000-000000000101": 4,
      "019b92bf-c500-7201-8000-000000000201": 16,
      "019b92f6-b380-7301-8000-000000000301": 4,
      "019b932d-a200-7401-8000-000000000401": 2,
    },
  },
  {
    format: "pi-openclaw",
    failed: 0,
    sessions: { "d1e00001-0000-4000-8000-000000000001": 13, "d1e00002-0000-4000-8000-000000000002": 8 },
  },
  {
    format: "chatgpt-export",
    failed: 0,
    sessions: { "e0010000-0000-4000-8000-0000000000ff": 5, "e0020000-0000-4000-8000-0000000000ff": 2 },
  },
  { format: "openai-chat", failed: 0, sessions: {} },
  { format: "sharegpt", failed: 0, sessions: { "sharegpt-sample-1": 4, "sharegpt-sample-2": 4 } },
  { format: "atif", failed: 0, sessions: { "atif-sample-main": 11, "atif-sample-sub-1": 3 } },
];

for (const { format, sessions, failed } of EXPECTED) {
  describeAgent(format, () => {
    it(`POR-05 imports the samples of ${format} as described, twice`, async () => {
      using home = tempHome();
      using store = open(home.statePath);
      const first = await importInto(store, agentFolder(format), { keepGoing: true });
      expect(first.failed).toBe(failed);
      for (const [id, count] of Object.entries(sessions))
        expect([id, messagesOf(store, id).length]).toEqual([id, count]);
      const again = await importInto(store, agentFolder(format), { keepGoing: true });
      expect(again).toMatchObject({ imported: 0, grown: 0, messages: 0, skipped: first.imported });
    });
  });
}
