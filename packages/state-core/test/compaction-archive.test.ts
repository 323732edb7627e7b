import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { MessageRow, NewMessage, StateStore } from "../src/index.js";
import { checkIndexes, dumpStore, wrongCounters } from "./support/dump-store.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

const HOLDER = "pid=1:tid=1:agent=ab:nonce=00000000";
const SUMMARY: NewMessage = { role: "user", content: "summary", compressedSummary: true };

function withMessages(count: number): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli", modelConfig: { a: 1 } });
  append(test.store, 1, count);
  return test;
}

function append(store: StateStore, from: number, to: number): void {
  for (let n = from; n <= to; n++) store.messages.append("s1", { role: "user", content: `m${String(n)}` });
}

function texts(store: StateStore): unknown[] {
  return store.messages.conversation("s1").messages.map((message) => message.content);
}

function rows(store: StateStore): readonly MessageRow[] {
  return store.messages.page("s1", { include: "all", limit: 1000 }).messages;
}

/** Contents by state: live, compacted, neither. */
function states(store: StateStore): Record<"live" | "compacted" | "hidden", unknown[]> {
  const of = (keep: (row: MessageRow) => boolean): unknown[] => rows(store).filter(keep).map((row) => row.content);
  return {
    live: of((row) => row.active === true),
    compacted: of((row) => row.active === false && row.compacted === true),
    hidden: of((row) => row.active === false && row.compacted === false),
  };
}

describe("the watermark", () => {
  it("COR-24 is the newest live message, read from the store; 0 when there is none", () => {
    using test = openTestStore();
    const { store } = test;
    store.sessions.create({ id: "s1", source: "cli" });
    expect([store.compaction.watermark("s1"), store.compaction.ceiling("s1")]).toEqual([0, 0]);
    append(store, 1, 2);
    const { id } = store.messages.append("s1", { role: "user", content: "aside", active: false });
    expect([store.compaction.watermark("s1"), store.compaction.ceiling("s1")]).toEqual([id - 1, id]);
    expect(stateErrorOf(() => store.compaction.watermark("nope")).code).toBe("STATE_E_SESSION_NOT_FOUND");
  });
});

describe("a compaction in place", () => {
  it("COR-24 puts the summary in the place of what it speaks of; the originals stay, compacted", () => {
    using test = withMessages(4);
    const { store } = test;
    const receipt = store.compaction.archive("s1", [SUMMARY], { watermark: store.compaction.watermark("s1") });
    expect(receipt).toEqual({ activeCount: 1, archivedCount: 4, carriedCount: 0 });
    expect(states(store)).toEqual({ live: ["summary"], compacted: ["m1", "m2", "m3", "m4"], hidden: [] });
    expect(rows(store).at(-1)).toMatchObject({ content: "summary", compressedSummary: true });
    expect(store.sessions.get("s1")).toMatchObject({ messageCount: 1, endReason: null });
  });

  it("COR-24 keeps what came in after the watermark live, behind the summary, exactly once", () => {
    using test = withMessages(3);
    const { store } = test;
    const watermark = store.compaction.watermark("s1");
    append(store, 4, 5);
    const receipt = store.compaction.archive("s1", [SUMMARY], { watermark });
    expect(receipt).toEqual({ activeCount: 3, archivedCount: 3, carriedCount: 2 });
    expect(states(store)).toEqual({
      live: ["summary", "m4", "m5"],
      compacted: ["m1", "m2", "m3"],
      hidden: ["m4", "m5"],
    });
    expect(store.messages.page("s1", { include: "visible", limit: 10 }).messages.map((row) => row.content)).toEqual([
      "m1",
      "m2",
      "m3",
      "summary",
      "m4",
      "m5",
    ]);
  });

  it("COR-24 hides the originals of a carried tail, so that search does not find them twice", () => {
    using test = withMessages(5);
    const { store } = test;
    const carried = [SUMMARY, { role: "user", content: "m4" }, { role: "user", content: "m5" }];
    const watermark = store.compaction.watermark("s1");
    append(store, 6, 6);
    const receipt = store.compaction.archive("s1", carried, { watermark, tailCount: 2 });
    expect(receipt).toEqual({ activeCount: 4, archivedCount: 5, carriedCount: 1 });
    expect(states(store)).toEqual({
      live: ["summary", "m4", "m5", "m6"],
      compacted: ["m1", "m2", "m3"],
      hidden: ["m4", "m5", "m6"],
    });
  });

  it("COR-24 leaves rewound messages and earlier compacted ones as they are", () => {
    using test = withMessages(3);
    const { store } = test;
    sql(store, "UPDATE messages SET active = 0 WHERE content = 'm3'");
    store.compaction.archive("s1", [SUMMARY], { watermark: null });
    append(store, 4, 4);
    store.compaction.archive("s1", [{ role: "user", content: "summary 2" }], { watermark: null });
    expect(states(store)).toEqual({
      live: ["summary 2"],
      compacted: ["m1", "m2", "summary", "m4"],
      hidden: ["m3"],
    });
  });

  it("COR-24 of watermark 0 archives nothing; of null everything", () => {
    using test = withMessages(2);
    const { store } = test;
    expect(store.compaction.archive("s1", [SUMMARY], { watermark: 0 })).toMatchObject({ archivedCount: 0, carriedCount: 2 });
    expect(texts(store)).toEqual(["summary", "m1", "m2"]);
    store.compaction.archive("s1", [SUMMARY], { watermark: null });
    expect(texts(store)).toEqual(["summary"]);
  });

  it("COR-24 counts the new active set: messages and tool calls, however they are spelt", () => {
    using test = withMessages(1);
    const { store } = test;
    const watermark = store.compaction.watermark("s1");
    store.messages.append("s1", { role: "assistant", toolCalls: [{ id: "a" }, { id: "b" }] });
    store.messages.append("s1", { role: "assistant", toolCalls: { id: "lonely" } });
    store.messages.append("s1", { role: "assistant", toolCalls: "no json" });
    sql(store, "UPDATE messages SET tool_calls = '[{\"x\": NaN}]' WHERE content = 'm1'");
    sql(store, "UPDATE sessions SET message_count = 99, tool_call_count = 99");
    store.compaction.archive("s1", [{ role: "assistant", toolCalls: [1, 2, 3] }], { watermark });
    expect(store.sessions.get("s1")).toMatchObject({ messageCount: 4, toolCallCount: 3 + 2 + 1 });
  });

  it("COR-24 copies every column of the tail, also of a newer program, byte for byte", () => {
    using test = withMessages(1);
    const { store } = test;
    store.write("a newer program", (w) => {
      w.exec('ALTER TABLE messages ADD COLUMN "of the ""future""" BLOB');
      w.exec("ALTER TABLE messages ADD COLUMN doubled TEXT GENERATED ALWAYS AS (content || content) VIRTUAL");
    });
    const watermark = store.compaction.watermark("s1");
    const full: NewMessage = {
      role: "assistant",
      content: [{ type: "text", text: "大 \u{1f9d1}\u200d\u{1f680}" }],
      toolCalls: [{ id: "c1" }],
      toolCallId: "t",
      toolName: "grep",
      effectDisposition: "e",
      timestampSeconds: 12.5,
      tokenCount: 2 ** 40,
      finishReason: "stop",
      reasoning: "r\0r",
      reasoningContent: "",
      reasoningDetails: [1],
      codexReasoningItems: [2],
      codexMessageItems: [3],
      platformMessageId: "p1",
      observed: true,
      compressedSummary: true,
      apiContent: " wire ",
      displayKind: "k",
      displayMetadata: { a: 1 },
      messageUid: "u",
      absorbedMessageUids: ["x"],
      toolCallUids: ["y"],
      toolCallUid: "z",
    };
    const { id } = store.messages.append("s1", full);
    const quote = '"of the ""future"""';
    sql(store, `UPDATE messages SET ${quote} = x'00ff', display_identity = x'01' WHERE id = ?`, id);
    const columns = store.read((r) =>
      r
        .all<{ name: string }>("SELECT name FROM pragma_table_info('messages')")
        .map(({ name }) => name)
        .filter((name) => !["id", "active", "compacted", "display_order"].includes(name)),
    );
    expect(columns).toHaveLength(30 - 4 + 1);
    const list = columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
    const read = (where: string): unknown => store.read((r) => r.get(`SELECT ${list}, doubled FROM messages WHERE ${where}`));
    const original = read(`id = ${String(id)}`);
    // Nothing of it is at its default: a column that is not copied would show.
    expect(Object.values(original as object)).not.toContain(null);
    store.compaction.archive("s1", [SUMMARY], { watermark });
    expect(read("active = 1 AND role = 'assistant'")).toEqual(original);
    const again = store.messages.append("s1", full);
    expect(again).toMatchObject({ existing: true });
    expect(store.messages.get(again.id).active).toBe(true);
    checkIndexes(store);
  });

  it("COR-24 merges the config patch in the same transaction", () => {
    using test = withMessages(1);
    const { store } = test;
    store.compaction.archive("s1", [SUMMARY], { watermark: null, configPatch: { a: null, b: [2] } });
    expect(store.sessions.get("s1").modelConfig).toEqual({ b: [2] });
  });

  it("COR-24 works on a session that has ended otherwise, and refuses one that compression closed", () => {
    using test = withMessages(1);
    const { store } = test;
    store.sessions.end("s1", "user_exit");
    store.compaction.archive("s1", [SUMMARY], { watermark: null });
    store.compaction.archive("s1", [SUMMARY], { watermark: null });
    sql(store, "UPDATE sessions SET end_reason = 'compression'");
    store.sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    const before = dumpStore(store);
    const error = stateErrorOf(() => store.compaction.archive("s1", [SUMMARY], { watermark: null }));
    expect([error.code, error.facts["tipId"]]).toEqual(["STATE_E_COMPRESSION_CLOSED", "s2"]);
    expect(stateErrorOf(() => store.compaction.archive("nope", [SUMMARY], { watermark: null })).code).toBe(
      "STATE_E_SESSION_NOT_FOUND",
    );
    expect(dumpStore(store)).toEqual(before);
  });

  it("COR-24 appends are free while it runs, and a lone surrogate in the summary is no obstacle", () => {
    using test = withMessages(1);
    const { store } = test;
    store.leases.acquire("compression", "s1", { holder: HOLDER });
    append(store, 2, 2);
    store.compaction.archive("s1", [{ role: "user", content: "bad \ud83d end" }], { watermark: 1, holder: HOLDER });
    expect(texts(store)).toEqual(["bad \ufffd end", "m2"]);
    expect(store.leases.holder("compression", "s1")?.holder).toBe(HOLDER);
  });
});

describe("the lease of a compaction in place", () => {
  it.each<[string, (test: TestStore) => void]>([
    ["was never taken", () => undefined],
    ["has ended", ({ store, clock }) => {
      store.leases.acquire("compression", "s1", { holder: HOLDER });
      clock.advance(300_000);
    }],
    ["was stolen", ({ store }) => {
      sql(store, "INSERT INTO compression_locks VALUES ('s1', 'thief', 0, 9e9)");
    }],
    ["holds another session", ({ store }) => {
      store.leases.acquire("compression", "s2", { holder: HOLDER });
    }],
    ["ends at no readable moment", ({ store }) => {
      sql(store, "INSERT INTO compression_locks VALUES ('s1', ?, 0, 'soon')", HOLDER);
    }],
  ])("COR-24 when it %s, nothing changes", (_, lose) => {
    using test = withMessages(2);
    const { store } = test;
    lose(test);
    const before = dumpStore(store);
    const options = { watermark: null, holder: HOLDER, configPatch: { a: 2 } };
    const error = stateErrorOf(() => store.compaction.archive("s1", [SUMMARY], options));
    expect([error.code, error.facts["bucket"]]).toEqual(["STATE_E_COMPRESSION_BUSY", "compression"]);
    expect(dumpStore(store)).toEqual(before);
  });

  it("COR-24 may have been refreshed after its end, as long as nobody claimed it", () => {
    using test = withMessages(2);
    const { store, clock } = test;
    const lease = store.leases.acquire("compression", "s1", { holder: HOLDER })!;
    clock.advance(400_000);
    expect(store.leases.refresh(lease)).toBeDefined();
    store.compaction.archive("s1", [SUMMARY], { watermark: null, holder: HOLDER });
    expect(texts(store)).toEqual(["summary"]);
  });
});

describe("misuse of a compaction", () => {
  it.each<[string, unknown[]]>([
    ["no message", ["s1", [], { watermark: 1 }]],
    ["no list", ["s1", "summary", { watermark: 1 }]],
    ["a hidden message", ["s1", [{ role: "user", active: false }], { watermark: 1 }]],
    ["an unknown key of a message", ["s1", [{ role: "user", contents: "x" }], { watermark: 1 }]],
    ["no watermark", ["s1", [SUMMARY], {}]],
    ["a fractional watermark", ["s1", [SUMMARY], { watermark: 1.5 }]],
    ["a misspelt option", ["s1", [SUMMARY], { watermark: 1, tail: 1 }]],
    ["an empty holder", ["s1", [SUMMARY], { watermark: 1, holder: "" }]],
    ["a patch that is a list", ["s1", [SUMMARY], { watermark: 1, configPatch: [] }]],
    ["no session", [undefined, [SUMMARY], { watermark: 1 }]],
  ])("COR-24 %s is a TypeError", (_, args) => {
    using test = withMessages(1);
    const { compaction } = test.store;
    const call = compaction.archive.bind(compaction) as (...args: unknown[]) => unknown;
    expect(() => call(...args)).toThrow(TypeError);
    expect(texts(test.store)).toEqual(["m1"]);
  });

  it.each([-1, 0.5, 2])("COR-24 a tail of %d behind one message is a RangeError: more would be hidden than carried", (n) => {
    using test = withMessages(3);
    expect(() => test.store.compaction.archive("s1", [SUMMARY], { watermark: 3, tailCount: n })).toThrow(RangeError);
  });
});

describe("P17 a conversation through compactions", () => {
  it("P17 COR-24 keeps all 300 originals beside the summary, before and after a reopen", () => {
    using test = withMessages(250);
    const { store } = test;
    const watermark = store.compaction.watermark("s1");
    store.compaction.archive("s1", [SUMMARY], { watermark });
    append(store, 251, 300);
    const shown = (of: StateStore): unknown[] =>
      of.messages.page("s1", { include: "visible", limit: 1000 }).messages.map((row) => row.content);
    const expected = Array.from({ length: 300 }, (_, index) => `m${String(index + 1)}`);
    expected.splice(250, 0, "summary");
    expect(shown(store)).toEqual(expected);
    expect(wrongCounters(store)).toEqual([]);
    checkIndexes(store);
    store.close();
    using reopened = openStateStore({ path: test.path });
    expect(shown(reopened)).toEqual(expected);
    expect(texts(reopened)).toEqual(["summary", ...expected.slice(251)]);
    expect(reopened.sessions.get("s1").messageCount).toBe(51);
  });

  it("P17 COR-24 a summariser that throws leaves it fully live", () => {
    using test = withMessages(3);
    const { store } = test;
    const before = dumpStore(store);
    const summarise = (): NewMessage => {
      throw new Error("provider 500");
    };
    const compact = (): unknown => {
      const watermark = store.compaction.watermark("s1");
      return store.compaction.archive("s1", [summarise()], { watermark });
    };
    expect(compact).toThrow("provider 500");
    expect(dumpStore(store)).toEqual(before);
  });
});
