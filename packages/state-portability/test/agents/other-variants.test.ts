import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import { importInto } from "@hermes/state-portability";
import type { ImportFormatName, ImportReport } from "@hermes/state-portability";
import type { StateStore } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { open } from "../support.js";
import { messagesOf, sessionsOf } from "./read-store.js";

type Json = Readonly<Record<string, unknown>>;

const AT = "2026-01-06T09:00:00.000Z";
const jsonl = (lines: readonly unknown[], end = "\n"): string =>
  lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)) + end).join("");

/** Every active message as `role: text`, of one session or of all. */
function talk(store: StateStore, id?: string): string[] {
  const ids = id === undefined ? sessionsOf(store).map((session) => session.id) : [id];
  return ids
    .flatMap((session) => messagesOf(store, session))
    .filter(({ state }) => state !== "left")
    .map(({ role, text }) => `${role}: ${text}`);
}

async function take(
  home: TempHome,
  store: StateStore,
  text: string,
  options: { name?: string; from?: ImportFormatName; keepGoing?: boolean } = {},
): Promise<ImportReport> {
  const { name = "file.jsonl", ...how } = options;
  writeFileSync(home.file(name), text);
  return await importInto(store, home.file(name), how);
}

const OLD = "019b9288-d680-7101-8000-000000000101";
const FORK = "019b92f6-b380-7301-8000-000000000301";
const line = (type: string, payload: Json): Json => ({ timestamp: AT, type, payload });
const meta = (id: string, more: Json = {}): Json => line("session_meta", { id, timestamp: AT, cwd: "/w", ...more });
const item = (role: string, text: string): Json =>
  line("response_item", { type: "message", role, content: [{ type: "input_text", text }] });
const tokens = (output: number, total: number): Json =>
  line("event_msg", {
    type: "token_count",
    info: { total_token_usage: { output_tokens: total }, last_token_usage: { output_tokens: output } },
  });
const context = (turn?: string): Json => line("turn_context", { model: "m", ...(turn && { turn_id: turn }) });
const TURNS = [item("user", "one"), item("assistant", "two"), tokens(5, 5)];
const spent = (store: StateStore): unknown => store.read((r) => r.get("SELECT SUM(output_tokens) AS n FROM sessions"));

describe("variants of Codex's rollouts", () => {
  it.each<[string, string]>([
    ["with CRLF and a byte order mark", `\uFEFF${jsonl([meta(OLD), ...TURNS], "\r\n")}`],
    ["without times", jsonl([meta(OLD), ...TURNS]).replaceAll(`"timestamp":"${AT}",`, "")],
    ["with its own id said twice", jsonl([meta(OLD), meta(OLD), ...TURNS])],
    [
      "with unknown lines, payloads and no final newline",
      jsonl([
        meta(OLD),
        line("world_state", { a: 1 }),
        line("response_item", { type: "new_item" }),
        line("event_msg", {}),
        ...TURNS,
        { type: "bare" },
      ]).trimEnd(),
    ],
  ])("POR-05 gives the same talk %s", async (_title, text) => {
    using home = tempHome();
    using store = open(home.statePath);
    expect(await take(home, store, text)).toMatchObject({ imported: 1, failed: 0 });
    expect([sessionsOf(store)[0]?.id, talk(store)]).toEqual([OLD, ["user: one", "assistant: two"]]);
    expect(spent(store)).toEqual({ n: 5 });
  });

  it("POR-05 keeps what a fork said itself when no turn tells where that begins, in whichever order", async () => {
    const fork = jsonl([
      meta(FORK, { forked_from_id: OLD }),
      meta(OLD),
      context(),
      ...TURNS,
      context(),
      item("user", "three"),
      tokens(7, 12),
    ]);
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      using home = tempHome();
      using store = open(home.statePath);
      mkdirSync(home.file("in"));
      writeFileSync(home.file(`in/${order[0]}.jsonl`), jsonl([meta(OLD), context(), ...TURNS]));
      writeFileSync(home.file(`in/${order[1]}.jsonl`), fork);
      await importInto(store, home.file("in"));
      expect(talk(store).toSorted()).toEqual(["assistant: two", "user: one", "user: three"]);
      expect(spent(store)).toEqual({ n: 12 });
      expect(await importInto(store, home.file("in"))).toMatchObject({ imported: 0, grown: 0, messages: 0 });
    }
  });

  it("POR-05 takes an own turn by its id where the copied ones have none, and nothing of a fork that said nothing", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const copied = [meta(FORK, { forked_from_id: OLD }), meta(OLD), context(), ...TURNS];
    const own = [context("019b92f6-c708-7311-8000-000000000311"), item("user", "three")];
    await take(home, store, jsonl([...copied, ...own]));
    expect(talk(store)).toEqual(["user: three"]);
    const silent = [meta(FORK, { forked_from_id: OLD }), meta(OLD), context("019b9288-de50-7111-8000-000000000111")];
    using other = open(home.file("other.db"));
    expect(await take(home, other, jsonl([...silent, ...TURNS]))).toMatchObject({ imported: 0, found: 0 });
  });

  it("POR-05 keeps a thread that names its origin and copies nothing", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    await take(home, store, jsonl([meta(FORK, { forked_from_id: OLD }), ...TURNS]));
    expect(talk(store)).toEqual(["user: one", "assistant: two"]);
  });

  it("POR-05 takes a thread that stands in two files with other lines once, and follows the later one", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    mkdirSync(home.file("in"));
    const first = [meta(OLD), context(), ...TURNS, item("user", "taken back")];
    writeFileSync(home.file(`in/rollout-2026-01-06T09-00-00-${OLD}.jsonl`), jsonl(first));
    const later = [meta(OLD), ...TURNS.slice(0, 2), item("user", "said instead"), item("assistant", "fine")];
    writeFileSync(home.file(`in/rollout-2026-01-06T10-00-00-${OLD}_${FORK}.jsonl`), jsonl(later));
    await importInto(store, home.file("in"));
    expect(talk(store)).toEqual(["user: one", "assistant: two", "user: said instead", "assistant: fine"]);
    expect(await importInto(store, home.file("in"))).toMatchObject({ imported: 0, grown: 0, skipped: 2 });
    expect(talk(store)).toHaveLength(4);
  });

  it("POR-05 takes the id from the file's name where its line is damaged, and says so without one", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const text = jsonl(['{"timestamp":"2026', ...TURNS]);
    const name = `rollout-2026-01-06T09-00-00-${OLD}.jsonl`;
    expect(await take(home, store, text, { name, keepGoing: true })).toMatchObject({
      imported: 1,
      problems: [{ line: 1, code: "STATE_E_IMPORT_SYNTAX" }],
    });
    expect(await take(home, store, jsonl(TURNS), { name: "x.jsonl", keepGoing: true })).toMatchObject({
      imported: 0,
      problems: [{ line: 1, code: "STATE_E_IMPORT_SHAPE" }],
    });
  });

  it("POR-05 tells what the user typed from what the program put before it", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const typed = "<user_instructions> is a tag, why?";
    const parts = [
      { type: "input_text", text: "<environment_context>cwd</environment_context>" },
      { type: "input_text", text: "and this I typed" },
    ];
    await take(
      home,
      store,
      jsonl([
        meta(OLD),
        item("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>"),
        item("user", "<new_kind_of_context>x</new_kind_of_context>"),
        item("user", typed),
        line("event_msg", { type: "user_message", message: typed }),
        line("response_item", { type: "message", role: "user", content: parts }),
        line("response_item", { type: "function_call_output", call_id: "c", output: { content: "ok", success: true } }),
      ]),
    );
    expect(talk(store)).toEqual([`user: ${typed}`, "user: and this I typed", 'tool: {"content":"ok","success":true}']);
  });

  it("POR-05 counts requests also where only the running sum is told", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const sum = (output: number): Json =>
      line("event_msg", {
        type: "token_count",
        info: { total_token_usage: { input_tokens: output, output_tokens: output } },
      });
    await take(home, store, jsonl([meta(OLD), ...TURNS.slice(0, 2), sum(5), sum(5), sum(12)]));
    expect(spent(store)).toEqual({ n: 12 });
  });
});

const P = "d1e00001-0000-4000-8000-000000000001";
const F = "d1e00009-0000-4000-8000-000000000009";
let clock = 0;
const entry = (id: string, parentId: string | null, role: string, content: unknown, more: Json = {}): Json => ({
  type: "message",
  id,
  parentId,
  timestamp: new Date(Date.UTC(2026, 0, 8) + (clock += 1000)).toISOString(),
  message: { role, content, ...more },
});
const header = (id: string, more: Json = {}): Json => ({
  type: "session",
  version: 3,
  id,
  timestamp: AT,
  cwd: "/w",
  ...more,
});
const usage = { model: "m", usage: { output: 5 } };
const COPIED = [
  entry("0000000a", null, "user", "one"),
  entry("0000000b", "0000000a", "assistant", [{ type: "text", text: "two" }], usage),
];

describe("variants of pi's sessions", () => {
  it.each([
    ["the origin first", "a", "b"],
    ["the fork first", "b", "a"],
  ])("POR-05 counts and finds once what a fork copied, %s", async (_title, originName, forkName) => {
    using home = tempHome();
    using store = open(home.statePath);
    mkdirSync(home.file("in"));
    const origin = home.file(`in/${originName}.jsonl`);
    writeFileSync(origin, jsonl([header(P), ...COPIED, entry("0000000c", "0000000b", "user", "three")]));
    const parentSession = `/sessions/2026-01-07T10-00-00-000Z_${P}.jsonl`;
    writeFileSync(
      home.file(`in/${forkName}.jsonl`),
      jsonl([header(F, { parentSession }), ...COPIED, entry("0000000d", "0000000b", "user", "four")]),
    );
    const planned = await importInto(store, home.file("in"), { dryRun: true });
    expect(await importInto(store, home.file("in"))).toEqual({ ...planned, dryRun: false });
    expect(talk(store).toSorted()).toEqual(["assistant: two", "user: four", "user: one", "user: three"]);
    expect(spent(store)).toEqual({ n: 5 });
    expect(sessionsOf(store).map(({ id, parent }) => [id, parent])).toEqual([
      [P, null],
      [F, P],
    ]);
    appendFileSync(origin, jsonl([entry("0000000e", "0000000c", "user", "five")]));
    expect(await importInto(store, home.file("in"))).toMatchObject({ imported: 0, grown: 1, messages: 1 });
  });

  it("POR-05 keeps sessions whose entries have the same ids and times apart when none names another", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    await take(home, store, jsonl([header(P), ...COPIED]), { name: "p.jsonl" });
    expect(await take(home, store, jsonl([header(F), ...COPIED]), { name: "f.jsonl" })).toMatchObject({ messages: 2 });
  });

  it("POR-05 holds a talk together around a damaged line, and reads one whose header is damaged", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const lines = [
      header(P),
      COPIED[0],
      '{"type":"message","id":"0000000b',
      entry("0000000c", "0000000b", "user", "three"),
    ];
    await take(home, store, jsonl(lines), { keepGoing: true });
    expect(talk(store, P)).toEqual(["user: one", "user: three"]);
    const name = `2026-01-08T10-00-00-000Z_${F}.jsonl`;
    await take(home, store, jsonl(['{"type":"sess', ...COPIED]), { name, keepGoing: true });
    expect(talk(store, F)).toEqual(["user: one", "assistant: two"]);
  });

  it("POR-05 keeps speakers that are not known, calls without ids, and a leaf that points nowhere", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const call = { type: "toolCall", name: "bash", arguments: {} };
    await take(
      home,
      store,
      jsonl([
        header(P),
        ...COPIED,
        entry("0000000c", "0000000b", "narrator", "meanwhile"),
        entry("0000000d", "0000000c", "assistant", [call, call]),
        { type: "leaf", id: "0000000e", parentId: "0000000d", targetId: null },
      ]),
    );
    expect(talk(store)).toEqual(["user: one", "assistant: two", "system: meanwhile", "assistant: "]);
    expect(messagesOf(store, P).at(-1)?.calls).toEqual(["call-0000000d-0", "call-0000000d-1"]);
  });

  it("POR-05 takes the talk before a reset from OpenClaw's folder, and not what was deleted", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    mkdirSync(home.file("in"));
    writeFileSync(home.file(`in/${P}.jsonl.reset.2026-01-08T10-00-00Z`), jsonl([header(P), ...COPIED]));
    writeFileSync(home.file(`in/${F}.jsonl.deleted.2026-01-08T10-00-00Z`), jsonl([header(F), ...COPIED]));
    writeFileSync(home.file("in/sessions.json"), "{}");
    expect(await importInto(store, home.file("in"))).toMatchObject({ files: 1, imported: 1, failed: 0 });
  });
});

describe("variants of ChatGPT's export", () => {
  const node = (id: string, parent: string | null, role: string, content: Json, more: Json = {}): Json => ({
    id,
    parent,
    message: { id, author: { role }, content, ...more },
  });
  const text = (...parts: unknown[]): Json => ({ content_type: "text", parts });
  const talkOf = (nodes: readonly Json[], more: Json = {}): Json => ({
    mapping: Object.fromEntries(nodes.map((one) => [one["id"], one])),
    current_node: nodes.at(-1)?.["id"],
    conversation_id: "c-1",
    ...more,
  });

  it("POR-05 keeps thoughts that no answer followed, quotations with their source, and kinds without a text", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const nodes = [
      node("a", "gone", "user", text("why?"), { metadata: { attachments: [{ name: "x.pdf" }] } }),
      node("b", "a", "tool", { content_type: "tether_quote", title: "T", url: "https://example.org", text: "said" }),
      node("c", "b", "assistant", { content_type: "new_kind", value: 5 }),
      node("d", "c", "assistant", { content_type: "thoughts", thoughts: [{ summary: "S", content: "hmm" }] }),
    ];
    await take(home, store, JSON.stringify([talkOf(nodes)], null, 1), { name: "conversations-000.json" });
    expect(talk(store)).toEqual([
      "user: why?",
      "tool: T\nhttps://example.org\nsaid",
      "assistant: [new_kind]",
      "assistant: ",
    ]);
    expect(store.messages.page("c-1", { limit: 9 }).messages.at(-1)).toMatchObject({ reasoning: "hmm" });
  });

  it("POR-05 names conversations without an id or a mapping, and takes in the others", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const good = talkOf([node("a", null, "user", text("hi"))]);
    const nameless = talkOf([node("a", null, "user", text("hi"))], { conversation_id: null });
    const report = await take(home, store, JSON.stringify([good, nameless, { title: "x" }, good]), {
      name: "conversations.json",
      keepGoing: true,
    });
    expect(report).toMatchObject({ imported: 1, failed: 3 });
    expect(report.problems.map(({ code }) => code)).toEqual([
      "STATE_E_IMPORT_SHAPE",
      "STATE_E_IMPORT_SHAPE",
      "STATE_E_IMPORT_DUPLICATE",
    ]);
  });

  it("POR-05 says in which line a cut export ends", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const whole = JSON.stringify([talkOf([node("a", null, "user", text("hi"))])], null, 1);
    const cut = whole.slice(0, whole.length - 30);
    await expect(take(home, store, cut, { name: "conversations.json" })).rejects.toMatchObject({
      code: "STATE_E_IMPORT_INVALID",
      facts: { problems: [{ line: cut.trimEnd().split("\n").length, code: "STATE_E_IMPORT_TRUNCATED" }] },
    });
  });
});

describe("variants of message lists and trajectories", () => {
  it("POR-05 says in which line a cut list ends, once", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const cut = '[\n {\n  "role": "user",\n  "content": "hi"\n },\n {\n  "role": "assist';
    await expect(take(home, store, cut, { name: "messages.json", from: "openai" })).rejects.toMatchObject({
      facts: { problems: [{ line: 7, code: "STATE_E_IMPORT_TRUNCATED" }], problemCount: 1 },
    });
  });

  it("POR-05 keeps recordings, refusals, unnamed calls and names that objects have by themselves", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    await take(
      home,
      store,
      jsonl([
        {
          messages: [
            { role: "user", content: "hi" },
            { role: "assistant", content: null, audio: { id: "audio_1" } },
            { role: "assistant", content: null, refusal: "no" },
            { role: "assistant", tool_calls: [{ function: { name: "f", arguments: "{" } }] },
          ],
        },
      ]),
    );
    expect(talk(store)).toEqual(["user: hi", "assistant: [audio]", "assistant: no", "assistant: "]);
    using other = open(home.file("other.db"));
    const conversations = [
      { from: "constructor", value: "odd" },
      { from: "function_call", value: "[1]" },
      { from: "observation", value: { t: 1 } },
      { from: "system", value: "item" },
    ];
    await take(home, other, jsonl([{ id: "t", system: "field", images: ["a.png"], conversations }]));
    expect(talk(other)).toEqual(["user: odd", "assistant: ", 'tool: {"t":1}', "system: item"]);
    expect(other.sessions.get("t")).toMatchObject({ modelConfig: { imported: { images: ["a.png"] } } });
    expect(other.read((r) => r.get("SELECT prompt FROM system_prompts"))).toEqual({ prompt: "item" });
  });

  it("POR-05 keeps unknown keys of steps, names embedded runs by their place, and goes on in a second file", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const step = (step_id: number, message: string, more: Json = {}): Json => ({
      step_id,
      source: "agent",
      message,
      ...more,
    });
    const run = (steps: readonly unknown[], more: Json = {}): string =>
      JSON.stringify({
        session_id: "run",
        steps,
        agent: { name: "a", version: "1" },
        ...more,
        schema_version: "ATIF-v1.4",
      });
    await take(
      home,
      store,
      run([step(1, "one", { extra: { seed: 7 }, mood: "calm" }), "no step"], {
        subagent_trajectories: [{ session_id: "run", steps: [step(1, "sub")], agent: {} }],
        padding: "x".repeat(70_000),
      }),
      { name: "trajectory.json", keepGoing: true },
    );
    expect(sessionsOf(store).map(({ id, parent }) => [id, parent])).toEqual([
      ["run", null],
      ["run.agent-1", "run"],
    ]);
    const metadata = store.read((r) => r.get("SELECT display_metadata AS m FROM messages WHERE session_id = 'run'"));
    expect(metadata).toEqual({ m: '{"atif": {"extra": {"seed": 7}, "mood": "calm"}}' });
    const next = [step(1, "one", { is_copied_context: true }), step(2, "two"), step(3, "three")];
    await take(home, store, run(next), { name: "trajectory.2.json" });
    expect(talk(store, "run")).toEqual(["assistant: one", "assistant: two", "assistant: three"]);
  });
});
