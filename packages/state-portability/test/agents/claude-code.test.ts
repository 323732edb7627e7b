import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempHome } from "@hermes/testkit";
import { importInto } from "@hermes/state-portability";
import { describe, expect, it } from "vitest";
import { open } from "../support.js";
import { agentFolder, describeAgent } from "./agent-files.js";
import { messagesOf, sessionsOf } from "./read-store.js";

const SESSION = "5e550001-0000-4000-8000-000000000001";

interface Line {
  readonly uuid: string;
  readonly parent?: string | null;
  readonly user?: unknown;
  readonly reply?: { id: string; content: unknown[]; usage?: object; stop?: string };
  readonly more?: object;
}

/** One line as the program writes it. */
function line({ uuid, parent = null, user, reply, more }: Line): string {
  const message =
    reply === undefined
      ? { role: "user", content: user }
      : {
          id: reply.id,
          role: "assistant",
          model: "m-1",
          content: reply.content,
          usage: reply.usage,
          stop_reason: reply.stop,
        };
  const envelope = {
    uuid,
    parentUuid: parent,
    sessionId: SESSION,
    timestamp: "2026-03-01T10:00:00.000Z",
    isSidechain: false,
  };
  return `${JSON.stringify({ ...envelope, type: reply ? "assistant" : "user", message, cwd: "/srv/app", ...more })}\n`;
}

const text = (value: string): object => ({ type: "text", text: value });
const call = (id: string): object => ({ type: "tool_use", id, name: "Bash", input: { command: "ls" } });
const result = (id: string, content: unknown): object => ({ type: "tool_result", tool_use_id: id, content });

/** Two turns; the second reply is split over three lines, its calls are answered in reverse order. */
const TALK =
  line({ uuid: "u1", user: "list the files 一覧" }) +
  line({
    uuid: "a1",
    parent: "u1",
    reply: {
      id: "r1",
      content: [{ type: "thinking", thinking: "Look.", signature: "s" }],
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  }) +
  line({
    uuid: "a2",
    parent: "a1",
    reply: { id: "r1", content: [text("Looking."), call("c1")], usage: { input_tokens: 5, output_tokens: 2 } },
  }) +
  line({
    uuid: "a3",
    parent: "a2",
    reply: {
      id: "r1",
      content: [call("c2")],
      usage: { input_tokens: 5, output_tokens: 9, cache_creation_input_tokens: 7 },
      stop: "tool_use",
    },
  }) +
  line({ uuid: "t2", parent: "a3", user: [result("c2", [text("two"), text("parts")])] }) +
  line({ uuid: "t1", parent: "a2", user: [result("c1", "one")] }) +
  line({ uuid: "a4", parent: "t1", reply: { id: "r2", content: [text("Done.")], stop: "end_turn" } });

describe("sessions of Claude Code", () => {
  it("POR-05 makes one message of a split reply, pairs results by id and counts usage once", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    writeFileSync(home.file("s.jsonl"), TALK);
    expect(await importInto(store, home.file("s.jsonl"))).toMatchObject({
      format: "claude-code",
      imported: 1,
      messages: 5,
    });
    expect(messagesOf(store, SESSION)).toEqual([
      { role: "user", text: "list the files 一覧", calls: [], answers: null, state: "active" },
      { role: "assistant", text: "Looking.", calls: ["c1", "c2"], answers: null, state: "active" },
      { role: "tool", text: "two\n\nparts", calls: [], answers: "c2", state: "active" },
      { role: "tool", text: "one", calls: [], answers: "c1", state: "active" },
      { role: "assistant", text: "Done.", calls: [], answers: null, state: "active" },
    ]);
    const [reply] = store.read((r) => r.all("SELECT reasoning, finish_reason FROM messages WHERE role = 'assistant'"));
    expect(reply).toEqual({ reasoning: "Look.", finish_reason: "tool_use" });
    const usage = "SELECT model, input_tokens, output_tokens, cache_write_tokens FROM session_model_usage";
    expect(store.read((r) => r.all(usage))).toEqual([
      { model: "m-1", input_tokens: 5, output_tokens: 9, cache_write_tokens: 7 },
    ]);
    expect(store.sessions.get(SESSION)).toMatchObject({
      source: "claude-code",
      model: "m-1",
      cwd: "/srv/app",
      messageCount: 5,
    });
  });

  it("POR-05 adds what is new when the file grew, and nothing when it did not", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const file = home.file("s.jsonl");
    const cut = TALK.indexOf('{"uuid":"a3"');
    writeFileSync(file, TALK.slice(0, cut));
    await importInto(store, file);
    appendFileSync(file, TALK.slice(cut));
    expect(await importInto(store, file, { dryRun: true })).toMatchObject({ grown: 1, messages: 3 });
    expect(await importInto(store, file)).toMatchObject({ imported: 0, grown: 1, messages: 3, skipped: 0 });
    expect(messagesOf(store, SESSION).map(({ calls }) => calls)).toEqual([[], ["c1", "c2"], [], [], []]);
    expect(store.sessions.get(SESSION)).toMatchObject({ messageCount: 5, toolCallCount: 2, outputTokens: 9 });
    expect(await importInto(store, file)).toMatchObject({ imported: 0, grown: 0, skipped: 1, messages: 0 });
  });

  it("POR-05 keeps what was said here after the import, and rewinds what an edit in the source left behind", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const file = home.file("s.jsonl");
    writeFileSync(file, TALK);
    await importInto(store, file);
    store.messages.append(SESSION, { role: "user", content: "said here", messageUid: "local" });
    appendFileSync(file, line({ uuid: "u2", parent: null, user: "list the folders" }));
    expect(await importInto(store, file)).toMatchObject({ grown: 1, imported: 1 });
    const states = messagesOf(store, SESSION).map(({ text: said, state }) => [said, state]);
    expect(states.at(0)).toEqual(["list the files 一覧", "left"]);
    expect(states.slice(-2)).toEqual([
      ["said here", "active"],
      ["list the folders", "active"],
    ]);
    expect(sessionsOf(store).map(({ id, parent }) => [id, parent])).toContainEqual([`${SESSION}.branch-u1`, SESSION]);
  });

  it("POR-05 makes a branch of an edited turn; the path that was gone on with last is the conversation", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const lines =
      line({ uuid: "u1", user: "start" }) +
      line({ uuid: "u2", parent: "u1", user: "first wording" }) +
      line({ uuid: "u3", parent: "u1", user: "second wording" }) +
      line({ uuid: "u4", parent: "u2", user: "back to the first" });
    writeFileSync(home.file("s.jsonl"), lines);
    await importInto(store, home.file("s.jsonl"));
    expect(messagesOf(store, SESSION).map((message) => message.text)).toEqual([
      "start",
      "first wording",
      "back to the first",
    ]);
    expect(messagesOf(store, `${SESSION}.branch-u3`).map((message) => message.text)).toEqual(["second wording"]);
  });

  it("POR-05 leaves out what a fork copied, and hangs it on the session it left", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const from = { forkedFrom: { sessionId: "origin", messageUuid: "o1" } };
    writeFileSync(
      home.file("s.jsonl"),
      line({ uuid: "u1", user: "copied", more: from }) + line({ uuid: "u2", parent: "u1", user: "own" }),
    );
    expect(await importInto(store, home.file("s.jsonl"))).toMatchObject({
      messages: 1,
      detachedLinks: [{ id: SESSION, parentId: "origin" }],
    });
  });

  it("POR-05 refuses damaged lines by number and takes the rest only when asked", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    writeFileSync(home.file("s.jsonl"), `${TALK}not json\n{"uuid":"cut`);
    await expect(importInto(store, home.file("s.jsonl"))).rejects.toMatchObject({
      code: "STATE_E_IMPORT_INVALID",
      facts: { problems: [{ line: 8 }, { line: 9, code: "STATE_E_IMPORT_TRUNCATED" }] },
    });
    expect(sessionsOf(store)).toEqual([]);
    expect(await importInto(store, home.file("s.jsonl"), { keepGoing: true })).toMatchObject({
      imported: 1,
      failed: 2,
    });
  });
});

describeAgent("claude-code", () => {
  it("POR-05 imports every sample as its description expects, and leaves the files alone", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const folder = agentFolder("claude-code");
    const path = join(folder, "c0de0002-0000-4000-8000-000000000002.jsonl");
    const before = readFileSync(path);
    const report = await importInto(store, folder, { keepGoing: true });
    expect(report).toMatchObject({ files: 4, imported: 6, failed: 2, problems: [{ line: 3 }, { line: 7 }] });
    expect(readFileSync(path).equals(before)).toBe(true);
    const id = (digit: number): string => `c0de000${digit}-0000-4000-8000-00000000000${digit}`;
    expect(messagesOf(store, id(1))).toHaveLength(4);
    const full = messagesOf(store, id(2));
    expect(full.map(({ answers }) => answers?.at(-1)).filter(Boolean)).toEqual(["1", "2", "3", "5"]);
    expect(full.filter(({ state }) => state === "compacted")).toHaveLength(7);
    expect(store.messages.recentUserTurns(id(2), 9).map(({ preview }) => preview)).toEqual([
      "Show me the rendered report page.",
    ]);
    expect(store.sessions.get(id(2))).toMatchObject({ title: "Date parser fails on leap day" });
    const chain = sessionsOf(store).filter(({ parent }) => parent === id(2));
    expect(chain).toHaveLength(1);
    expect(messagesOf(store, chain[0]?.id ?? "").map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(messagesOf(store, id(3)).map(({ text: said }) => said.slice(0, 4))).toEqual([
      "请把 R",
      "好的。要",
      "改一下：",
      "使い方：",
      "좋아요,",
      "どういた",
    ]);
    expect(messagesOf(store, id(4)).at(-1)?.calls).toHaveLength(1);
  });
});
