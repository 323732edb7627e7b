import { describe, expect, it } from "vitest";
import { openTestStore, sql } from "../../test/support/open-test-store.js";
import { dropReplays } from "./drop-replays.js";
import type { NewMessage } from "./new-message.js";
import { repairAlternation } from "./repair-alternation.js";
import { sanitizeContext } from "./sanitize-context.js";
import { toWireMessages } from "./saving/to-wire-messages.js";
import type { ConversationOptions } from "./transcript.js";
import type { DraftMessage } from "./transcript-message.js";

/** What a session with these messages reads as, without the moments. */
function conversation(messages: readonly NewMessage[], options: ConversationOptions = {}): unknown[] {
  using test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  test.store.messages.appendBatch("s1", messages);
  return test.store.messages.conversation("s1", options).messages.map(({ timestampSeconds: _, _persisted: __, ...rest }) => rest);
}

describe("what the model sees", () => {
  it("COR-22 leaves empty fields out, keeps an empty reasoning content, and reasoning with assistants only", () => {
    const reasoning = { reasoning: "r", reasoningContent: "", reasoningDetails: [{ a: 1 }], codexMessageItems: [1] };
    expect(
      conversation([
        { role: "user", content: " hi ", toolName: "", ...reasoning },
        { role: "assistant", content: null, ...reasoning, finishReason: "stop" },
        { role: "system", content: " kept " },
        { role: "tool", content: " kept ", toolCallId: "c1", platformMessageId: "p", observed: true },
      ]),
    ).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: null, finishReason: "stop", ...reasoning },
      { role: "system", content: " kept " },
      { role: "tool", content: " kept ", toolCallId: "c1", platformMessageId: "p", observed: true },
    ]);
  });

  it.each([
    ["<memory-context>a</memory-context>b", "b"],
    ["a<memory-context>\nx\n</memory-context>b<Memory-Context >y</ memory-context>c", "abc"],
    ["unclosed <memory-context> stays but for its tag", "unclosed  stays but for its tag"],
    ["a < b and memory-context", "a < b and memory-context"],
    ["<other>x</other>", "<other>x</other>"],
  ])("COR-22 removes injected context from %o", (text, clean) => {
    expect(sanitizeContext(text)).toBe(clean);
  });

  it("COR-22 the wire string is neither cleaned nor trimmed", () => {
    const apiContent = " <memory-context>x</memory-context> ";
    expect(conversation([{ role: "user", content: apiContent, apiContent }])).toEqual([
      { role: "user", content: "", apiContent },
    ]);
  });

  it("COR-22 blanks the placeholder for a silent tool call, and nothing that was said", () => {
    const calls = { toolCalls: [{ id: "c", function: { name: "memory" } }] };
    const contents = ["[memory]", " [memory] ", "[other]", "[memory] and more"];
    const said = contents.map((content) => ({ role: "assistant", content, ...calls }));
    const shown = conversation([...said, { role: "assistant", content: "[memory]" }]) as { content: string }[];
    expect(shown.map((message) => message.content)).toEqual(["", "", "[other]", "[memory] and more", "[memory]"]);
  });

  it("P28 names damaged cells, and the rest of the message is whole", () => {
    using test = openTestStore();
    test.store.sessions.create({ id: "s1", source: "cli" });
    const { id } = test.store.messages.append("s1", { role: "assistant", content: "x", toolCalls: [{ id: "c" }] });
    sql(test.store, "UPDATE messages SET tool_calls = '[broken', timestamp = 'x', content = char(0) || 'json:[1'");
    const { messages, damaged } = test.store.messages.conversation("s1");
    expect(damaged).toEqual([{ id, keys: ["content", "toolCalls", "timestampSeconds"] }]);
    expect(toWireMessages(messages)).toEqual([{ role: "assistant", content: "\0json:[1", toolCalls: [] }]);
  });

  it("COR-22 puts row ids on messages when asked", () => {
    expect(conversation([{ role: "user", content: "x" }], { includeRowIds: true })).toEqual([
      { id: 1, role: "user", content: "x" },
    ]);
  });
});

describe("over a lineage", () => {
  it("COR-22 reads every parent in insertion order, and drops an open question that was asked again", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "root", source: "cli" });
    messages.append("root", { role: "user", content: "first" });
    messages.append("root", { role: "assistant", content: "answer" });
    messages.append("root", { role: "user", content: "open" });
    sessions.end("root", "compression");
    sessions.create({ id: "tip", source: "cli", parentSessionId: "root" });
    messages.append("tip", { role: "user", content: "summary" });
    messages.append("tip", { role: "user", content: "open" });
    messages.append("tip", { role: "assistant", content: "done" });
    messages.append("tip", { role: "user", content: "open" });
    const whole = messages.conversation("tip", { includeAncestors: true });
    expect(whole.sessionIds).toEqual(["root", "tip"]);
    expect(whole.messages.map((message) => message.content)).toEqual([
      "first",
      "answer",
      "open",
      "summary",
      "done",
      "open",
    ]);
    expect(messages.conversation("tip").messages).toHaveLength(4);
  });

  it("COR-22 an empty assistant row answers nothing; structured and empty questions are kept", () => {
    const user = (content: DraftMessage["content"]): DraftMessage => ({ role: "user", content });
    const silent = { role: "assistant", content: "" };
    const kept = dropReplays([user("q"), silent, user("q"), user(""), user(""), user([1]), user([1])]);
    expect(kept).toEqual([user("q"), silent, user(""), user(""), user([1]), user([1])]);
  });
});

describe("repairAlternation", () => {
  const user = (content: DraftMessage["content"], rest: object = {}): DraftMessage => ({ role: "user", content, ...rest });
  const said = (content: DraftMessage["content"], rest: object = {}): DraftMessage => ({
    role: "assistant",
    content,
    ...rest,
  });
  const result = (toolCallId: string): DraftMessage => ({ role: "tool", content: "out", toolCallId });
  const calls = (...ids: string[]): object => ({ toolCalls: ids.map((id) => ({ id })) });

  it("COR-22 merges neighbouring users, keeps what the first was, and drops the wire string that no longer fits", () => {
    const merged = repairAlternation([
      user("a", { timestampSeconds: 1, apiContent: "A", id: 1 }),
      user("", { timestampSeconds: 2 }),
      user("b", { timestampSeconds: 3, displayKind: "hidden" }),
    ]);
    expect(merged).toEqual([user("a\n\nb", { timestampSeconds: 1, id: 1 })]);
  });

  it("COR-22 merges neighbouring assistants until one calls a tool", () => {
    const merged = repairAlternation([
      said("a", { timestampSeconds: 1 }),
      said("b", { timestampSeconds: 2, reasoning: "r" }),
      said(null, { timestampSeconds: 3, ...calls("c1") }),
      result("c1"),
      said("d", calls("c2")),
      said("e"),
    ]);
    const first = said("a\n\nb", { timestampSeconds: 1, reasoning: "r", ...calls("c1") });
    expect(merged).toEqual([first, result("c1"), said("d", calls("c2")), said("e")]);
  });

  it("COR-22 never merges structured content", () => {
    const parts = [user([{ type: "text" }]), user("x"), user(null), user("y"), said([1]), said("z")];
    expect(repairAlternation(parts)).toEqual(parts);
  });

  it("COR-22 drops results that answer no open call", () => {
    const kept = [said("", calls("c1", "c2")), result("c2"), result("c1")];
    expect(repairAlternation([result("c1"), ...kept, result("c9"), user("u"), result("c1")])).toEqual([...kept, user("u")]);
  });
});
