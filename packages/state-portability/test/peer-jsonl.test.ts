import { mkdirSync, writeFileSync } from "node:fs";
import { importInto } from "@hermes/state-portability";
import { tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { exported, imported, open, streamOf } from "./support.js";

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const say = (content: string): object => ({ role: "user", content, timestamp: 1_770_000_000 });

/** A file with one session per argument. */
function file(...sessions: object[]): string {
  return sessions.map(line).join("");
}

describe("the peer's JSONL", () => {
  it("POR-03 keeps times, tool calls, reasoning and prompt, and counts anew", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const session = {
      id: "s1",
      source: "telegram",
      title: "Trip",
      system_prompt: "be kind",
      model_config: { temperature: 1 },
      started_at: "1769000000.5",
      message_count: 99,
      session_key: "tg:1",
      handoff_state: "pending",
      last_activity_description: "working...",
      messages: [
        {
          id: 7,
          role: "user",
          content: [{ type: "text", text: "看" }],
          timestamp: 1_769_000_001.25,
          message_id: "tg-9",
        },
        {
          role: "assistant",
          content: "ok",
          timestamp: 1_769_000_002,
          tool_calls: [{ id: "c", function: { name: "ls", arguments: "{}" } }],
          reasoning: "hm",
          reasoning_details: [{ a: 1 }],
        },
        { role: "user", content: "no", reasoning: "users do not reason", tool_calls: "[]", timestamp: 1_769_000_003 },
      ],
    };
    expect(await imported(store, file(session))).toMatchObject({ format: "peer", imported: 1, messages: 3 });
    expect(store.sessions.get("s1")).toMatchObject({
      startedAtSeconds: 1_769_000_000.5,
      systemPrompt: "be kind",
      messageCount: 3,
      toolCallCount: 1,
      sessionKey: null,
      handoffState: null,
      lastActivityDescription: null,
    });
    const [first, second, third] = store.messages.page("s1").messages;
    expect(first).toMatchObject({
      content: [{ type: "text", text: "看" }],
      timestampSeconds: 1_769_000_001.25,
      platformMessageId: "tg-9",
    });
    expect(second).toMatchObject({ reasoning: "hm", reasoningDetails: [{ a: 1 }] });
    expect(third).toMatchObject({ reasoning: null, toolCalls: null });
  });

  it("POR-03 leaves compacted and rewound rows as what they are", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const messages = [
      { ...say("old"), active: 0, compacted: 1 },
      { ...say("taken back"), active: 0, compacted: 0 },
      say("live"),
    ];
    await imported(store, file({ id: "s", messages }));
    expect(store.messages.page("s").messages.map(({ content }) => content)).toEqual(["live"]);
    expect(store.sessions.get("s").messageCount).toBe(1);
  });

  it.each([
    ["no object", "[1]\n", "STATE_E_IMPORT_SHAPE"],
    ["no JSON", "{oops}\n", "STATE_E_IMPORT_SYNTAX"],
    ["no id", line({ messages: [] }), "STATE_E_IMPORT_SHAPE"],
    ["an id of 10 MB", line({ id: "x".repeat(1000), messages: [] }), "STATE_E_IMPORT_SHAPE"],
    ["no list of messages", line({ id: "s", messages: {} }), "STATE_E_IMPORT_SHAPE"],
    ["a message that is no object", line({ id: "s", messages: ["hi"] }), "STATE_E_IMPORT_SHAPE"],
    ["a message without a role", line({ id: "s", messages: [{ content: "hi" }] }), "STATE_E_IMPORT_SHAPE"],
    ["a text field of another type", line({ id: "s", title: 5, messages: [] }), "STATE_E_IMPORT_SHAPE"],
    ["a title of 101 characters", line({ id: "s", title: "x".repeat(101), messages: [] }), "STATE_E_IMPORT_SHAPE"],
    ["a model_config that is no object", line({ id: "s", model_config: "[1]", messages: [] }), "STATE_E_IMPORT_SHAPE"],
    [
      "a token count that is no integer",
      line({ id: "s", messages: [{ role: "user", token_count: 1.5 }] }),
      "STATE_E_IMPORT_SHAPE",
    ],
    ["an integer beyond 2^53", '{"id":"s","input_tokens":9007199254740993,"messages":[]}\n', "STATE_E_IMPORT_SHAPE"],
    ["a cut last line", '{"id":"s","messages":[{"role":"us', "STATE_E_IMPORT_TRUNCATED"],
  ])("POR-02 names the line of a session with %s, and imports nothing", async (_what, bad, code) => {
    using home = tempHome();
    using store = open(home.statePath);
    const good = file({ id: "good", messages: [say("hi")] });
    await expect(imported(store, good + bad, { from: "peer" })).rejects.toMatchObject({
      code: "STATE_E_IMPORT_INVALID",
      facts: { problemCount: 1, problems: [{ line: 2, code }] },
    });
    expect(store.sessions.count()).toBe(0);
    expect(await imported(store, good + bad, { from: "peer", keepGoing: true })).toMatchObject({
      imported: 1,
      failed: 1,
    });
  });

  it("POR-02 refuses a session that is in the file twice", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const twice = file({ id: "s", messages: [] }, { id: "s", messages: [] });
    await expect(imported(store, twice)).rejects.toMatchObject({
      facts: { problems: [{ line: 2, code: "STATE_E_IMPORT_DUPLICATE" }] },
    });
  });

  it("POR-02 takes costs that are no number as none, and times that are none as the moment before", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const text =
      '{"id":"s","estimated_cost_usd":NaN,"actual_cost_usd":Infinity,"started_at":5e246,"messages":[{"role":"user","timestamp":"x"}]}\n';
    await imported(store, text);
    const session = store.sessions.get("s");
    expect(session).toMatchObject({ estimatedCostUsd: null, actualCostUsd: null, startedAtSeconds: 1_770_000_000 });
    expect(store.messages.page("s").messages[0]?.timestampSeconds).toBeCloseTo(1_770_000_000.000001, 6);
  });

  it("POR-02 enforces every limit, the size before the line is parsed", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const two = file({ id: "a", messages: [say("1"), say("2")] }, { id: "b", messages: [say("3")] });
    const cases: [string, object, number][] = [
      [two, { maxSessions: 1 }, 2],
      [two, { maxMessagesPerSession: 1 }, 1],
      [two, { maxMessages: 2 }, 2],
      [two, { maxTotalBytes: 150 }, 2],
      [`{"id":"not json ${"x".repeat(300)}\n`, { maxSessionBytes: 200 }, 1],
    ];
    for (const [text, limits, at] of cases) {
      await expect(imported(store, text, { from: "peer", limits }), JSON.stringify(limits)).rejects.toMatchObject({
        facts: { problems: [{ line: at, code: "STATE_E_IMPORT_LIMIT" }] },
      });
    }
    expect(store.sessions.count()).toBe(0);
    expect(await imported(store, two, { limits: { maxMessages: 0 } })).toMatchObject({ imported: 2 });
  });

  it("POR-02 numbers titles that are taken, here or earlier in the file, and reports it", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "mine", source: "cli", title: "100% Trip_" });
    const text = file(
      { id: "a", title: "100% Trip_", messages: [] },
      { id: "b", title: "100% Trip_ #2", messages: [] },
      { id: "c", title: "100% Trip_", messages: [] },
      { id: "d", title: "1000 Trips", messages: [] },
    );
    const expected = [
      { sessionId: "a", from: "100% Trip_", to: "100% Trip_ #2" },
      { sessionId: "b", from: "100% Trip_ #2", to: "100% Trip_ #3" },
      { sessionId: "c", from: "100% Trip_", to: "100% Trip_ #4" },
    ];
    expect((await imported(store, text, { dryRun: true })).renamed).toEqual(expected);
    expect((await imported(store, text)).renamed).toEqual(expected);
    expect(store.sessions.get("mine").title).toBe("100% Trip_");
    expect(store.sessions.get("d").title).toBe("1000 Trips");
  });

  it("POR-02 links parents after all sessions are there, breaks rings and reports who stands alone", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const text = file(
      { id: "child", parent_session_id: "parent", messages: [] },
      { id: "a", parent_session_id: "b", messages: [] },
      { id: "b", parent_session_id: "a", messages: [] },
      { id: "orphan", parent_session_id: "gone", messages: [] },
      { id: "parent", messages: [] },
    );
    const links = [
      { id: "orphan", parentId: "gone" },
      { id: "b", parentId: "a" },
    ];
    expect(await imported(store, text, { dryRun: true })).toMatchObject({ detached: 2, detachedLinks: links });
    expect(await imported(store, text)).toMatchObject({ imported: 5, detached: 2, detachedLinks: links });
    const parents = ["child", "a", "b", "orphan"].map((id) => store.sessions.get(id).parentSessionId);
    expect(parents).toEqual(["parent", "b", null, null]);
  });

  it("POR-02 reports a dry run as the real run turns out, and writes nothing", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "here", source: "cli" });
    const text = file({ id: "here", messages: [say("x")] }, { id: "new", messages: [say("y"), say("z")] });
    const items: unknown[] = [];
    const dry = await imported(store, text, { dryRun: true, onItem: (item) => items.push(item) });
    expect(store.sessions.find("new")).toBeUndefined();
    const real: unknown[] = [];
    const report = await imported(store, text, { onItem: (item) => real.push(item) });
    expect({ ...dry, dryRun: false }).toEqual(report);
    expect(items).toEqual(real);
    expect(real).toMatchObject([
      { sessionId: "here", outcome: "skipped" },
      { sessionId: "new", outcome: "imported", messages: 2 },
    ]);
    expect(store.messages.count("here")).toBe(0);
  });

  it("POR-02 stops between sessions when told to, and keeps what is whole", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const controller = new AbortController();
    // Short sessions come in together; these are long enough to stand alone.
    const messages = Array.from({ length: 2_000 }, () => ({ role: "user", content: "x" }));
    const text = file({ id: "a", messages }, { id: "b", messages }, { id: "c", messages });
    const onItem = (): void => controller.abort(new Error("enough"));
    await expect(imported(store, text, { signal: controller.signal, onItem })).rejects.toMatchObject({
      code: "STATE_E_ABORTED",
      facts: { imported: 1 },
    });
    expect(store.sessions.count()).toBe(1);
    expect(await imported(store, text)).toMatchObject({ imported: 2, skipped: 1 });
  });

  it("POR-02 refuses modes and options that there are not", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const text = file({ id: "a", messages: [] });
    await expect(imported(store, text, { mode: "skipp" as never })).rejects.toThrow(RangeError);
    await expect(imported(store, text, { keepgoing: true } as never)).rejects.toThrow(/Did you mean "keepGoing"/);
  });

  it("POR-02 names a file that is missing, a folder without files, a database, an empty file and one it does not know", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    {
      using other = open(home.file("other.db"));
      other.sessions.create({ id: "s", source: "cli" });
    }
    writeFileSync(home.file("empty.jsonl"), "");
    writeFileSync(home.file("notes.txt"), "hello\n");
    mkdirSync(home.file("nothing"));
    const codes: [string, string][] = [
      ["nowhere.jsonl", "STATE_E_IMPORT_MISSING"],
      ["nothing", "STATE_E_IMPORT_MISSING"],
      ["other.db", "STATE_E_IMPORT_FORMAT"],
      ["empty.jsonl", "STATE_E_IMPORT_FORMAT"],
      ["notes.txt", "STATE_E_IMPORT_FORMAT"],
    ];
    for (const [name, code] of codes)
      await expect(importInto(store, home.file(name)), name).rejects.toMatchObject({ code });
    await expect(
      importInto(store, streamOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x0a])), { from: "peer" }),
    ).rejects.toMatchObject({
      facts: { problems: [{ line: 1, code: "STATE_E_IMPORT_SYNTAX" }] },
    });
  });

  it("POR-03 carries archived and rewound messages as what they are, unless the peer's own subset is asked for", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "s", source: "cli" });
    const say = (content: string, state: object = {}): void =>
      void store.messages.append("s", { role: "user", content, ...state });
    say("old", { active: false, compacted: true });
    say("taken back", { active: false });
    say("live");
    const { text, report } = await exported(store, { format: "peer-jsonl" });
    expect(report.leftOut).toEqual({});
    using target = open(home.file("all.db"));
    await imported(target, text, { from: "peer" });
    const rows = [...target.messages.iterate("s", { include: "all" })];
    expect(rows.map(({ content, active, compacted }) => [content, active, compacted])).toEqual([
      ["old", false, true],
      ["taken back", false, false],
      ["live", true, false],
    ]);
    expect(target.sessions.get("s").messageCount).toBe(1);
    const subset = await exported(store, { format: "peer-jsonl", peerSubset: true });
    expect(subset.report.leftOut).toEqual({ archived: 1, rewound: 1 });
    const [session] = subset.text.split("\n").map((part) => JSON.parse(part || "{}") as { messages?: unknown[] });
    expect(session?.messages).toHaveLength(1);
    await expect(exported(store, { format: "jsonl", peerSubset: true })).rejects.toThrow(TypeError);
  });

  it("POR-03 spells what it exports so that every number stays as it was stored", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    store.sessions.create({ id: "s", source: "cli", systemPrompt: "p" });
    store.messages.append("s", { role: "assistant", content: "x" });
    store.write("as Python spells it", (w) => {
      w.run("UPDATE messages SET tool_calls = ?, content = ?", [
        '[{"n": 12345678901234567890, "f": 1.0}]',
        '\u0000json:{"k": [1.0, NaN]}',
      ]);
    });
    const { text } = await exported(store, { format: "peer-jsonl" });
    expect(text).toContain('"tool_calls":[{"n": 12345678901234567890, "f": 1.0}]');
    expect(text).toContain('"content":{"k":[1,null]}');
    expect(text.endsWith("\n") && text.split("\n")).toHaveLength(2);
    expect(JSON.parse(text)).toMatchObject({ id: "s", system_prompt: "p" });
  });
});
