import { describePython, runPython, tempDir, testRandom } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import type * as Core from "../src/index.js";
import { isStateError, openStateStore, PERSISTED_MARKER, toWireMessages } from "../src/index.js";
import type { NewMessage, SaveTranscriptOptions, StateStore } from "../src/index.js";
import { openTestStore, sql, stateErrorOf } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

/** Everything a message can hold that a copy might lose. */
const RICH: readonly NewMessage[] = [
  { role: "user", content: "第一 💾 \ud800 \0 x", platformMessageId: "p1", observed: true },
  {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "c1", function: { arguments: '{"b": 1, "a": [2.5, null]}', name: "f" } }],
    reasoning: "r",
    reasoningContent: "",
    reasoningDetails: [{ z: 1, a: { y: 2, b: 3 } }],
    finishReason: "tool_calls",
  },
  { role: "tool", content: "out", toolCallId: "c1", toolName: "f", effectDisposition: "none" },
  { role: "user", content: [{ type: "text", text: "t" }, { type: "image_url", image_url: { url: "u" } }] },
  { role: "assistant", content: "done", apiContent: " wire ", displayMetadata: { k: [1] }, displayKind: "steer" },
];

function rich(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  test.store.messages.appendBatch("s1", RICH);
  return test;
}

const load = (store: StateStore, id = "s1"): NewMessage[] => [...store.messages.conversation(id).messages];
const rows = (store: StateStore, id = "s1"): number => store.messages.count(id, "all");
const user = (content: string): NewMessage => ({ role: "user", content });

function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([key, item]) => [key, reversedKeys(item)]));
}

class OwnMessage {
  static of(message: NewMessage): NewMessage {
    return Object.assign(new OwnMessage(), message);
  }

  describe(): string {
    return JSON.stringify(this);
  }
}

const COPIES: Readonly<Record<string, (list: NewMessage[]) => NewMessage[]>> = {
  "the list itself": (list) => list,
  "a spread": (list) => list.map((message) => ({ ...message })),
  structuredClone: (list) => structuredClone(list),
  JSON: (list) => JSON.parse(JSON.stringify(list)) as NewMessage[],
  "JSON in a database that sorts keys": (list) => reversedKeys(JSON.parse(JSON.stringify(list))) as NewMessage[],
  "frozen objects": (list) => list.map((message) => Object.freeze({ ...message })),
  "keys that are undefined": (list) => list.map((message) => ({ ...message, toolName: message.toolName }) as NewMessage),
  "no prototype": (list) => list.map((message) => Object.assign(Object.create(null) as NewMessage, message)),
  "a class of the caller's": (list) => list.map((message) => OwnMessage.of(message)),
};

describe("COR-23 what is loaded is known as stored", () => {
  it.each(Object.entries(COPIES))("COR-23 however it was copied: %s", (_title, copy) => {
    using test = rich();
    const { messages } = test.store;
    const list = copy(load(test.store));
    expect(messages.saveTranscript("s1", list).appended).toEqual([]);
    const saved = messages.saveTranscript("s1", [...list, user("new")]);
    expect(saved.appended.map((receipt) => receipt.id)).toEqual([6]);
    expect(rows(test.store)).toBe(6);
    const texts = (some: readonly NewMessage[]): unknown[] => some.map((message) => message.content);
    expect(texts(load(test.store))).toEqual(texts(saved.messages));
  });

  const options = ["includeInactive", "repairAlternation", "includeRowIds", "includeAncestors"];
  it.each([{}, ...options.map((name) => ({ [name]: true }))])("COR-23 however it was loaded: %j", (options) => {
      using test = rich();
      const { messages } = test.store;
      messages.append("s1", user("two users"));
      messages.append("s1", user("in a row"));
      messages.rewindTo("s1", messages.append("s1", user("taken back")).id);
      const list = [...messages.conversation("s1", options).messages];
      expect(messages.saveTranscript("s1", [...list, { role: "assistant", content: "new" }]).appended).toHaveLength(1);
      expect(rows(test.store)).toBe(9);
  });

  it("COR-23 comparing two loads finds them equal, a changed word unequal", () => {
    using test = rich();
    expect(load(test.store)).toEqual(load(test.store));
    const before = load(test.store);
    sql(test.store, "UPDATE messages SET content = 'other' WHERE id = 5");
    expect(load(test.store)).not.toEqual(before);
  });

  it("COR-23 a reader marks as the writer does, and another handle knows the marks", () => {
    using test = rich();
    using reader = openStateStore({ path: test.path, mode: "read" });
    const list = load(reader);
    expect(list).toEqual(load(test.store));
    test.store.messages.saveTranscript("s1", [...list, user("new")]);
    expect(rows(test.store)).toBe(6);
  });
});

describePython("COR-23 T10 beside a real Python process", () => {
  it("COR-23 a copy of the file, put back, is the same store", () => {
    using test = rich();
    using dir = tempDir("copy");
    const list = load(test.store);
    const path = dir.file("copy.db");
    runPython("c = sqlite3.connect(args[0]); c.execute(\"VACUUM INTO ?\", (args[1],)); answer(1)", [test.path, path]);
    using copy = openStateStore({ path });
    expect(copy.messages.saveTranscript("s1", list).appended).toEqual([]);
  });

  it("COR-23 T10 a list that went through Python's json comes back as it was, and rows Python wrote are known", () => {
    using test = rich();
    const python = `
db = sqlite3.connect(args["path"])
db.execute("BEGIN IMMEDIATE")
db.execute("INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('s1', 'user', 'from python', 5.5, 1)")
db.execute("UPDATE sessions SET message_count = message_count + 1 WHERE id = 's1'")
db.commit()
answer(json.loads(json.dumps(args["list"], sort_keys=True)))`;
    const list = runPython<NewMessage[]>(python, { path: test.path, list: load(test.store) });
    expect(test.store.messages.saveTranscript("s1", list).appended).toEqual([]);
    const again = runPython<NewMessage[]>("answer(args)", load(test.store));
    expect(again.at(-1)).toMatchObject({ content: "from python", timestampSeconds: 5.5 });
    expect(test.store.messages.saveTranscript("s1", [...again, user("new")]).appended).toHaveLength(1);
    expect(rows(test.store)).toBe(7);
    expect(test.store.sessions.get("s1").messageCount).toBe(7);
  });
});

describe("COR-23 what is saved is known as stored", () => {
  it("COR-23 T10 the same list again and again, growing, one row per message", () => {
    using test = rich();
    const { messages } = test.store;
    const list = load(test.store);
    for (let turn = 0; turn < 3; turn++) {
      list.push(user(`question ${String(turn)}`), { role: "assistant", content: `answer ${String(turn)}` });
      messages.saveTranscript("s1", list);
      messages.saveTranscript("s1", list);
      messages.saveTranscript("s1", JSON.parse(JSON.stringify(list)) as NewMessage[]);
    }
    expect(rows(test.store)).toBe(11);
    expect(test.store.sessions.get("s1").messageCount).toBe(11);
    expect(load(test.store)[0]!.content).toBe("第一 💾 \ufffd \0 x");
    const texts = (some: NewMessage[]): unknown[] => some.slice(1).map((message) => message.content);
    expect(texts(load(test.store))).toEqual(texts(list));
  });

  it("COR-23 frozen messages are remembered, and the returned list carries their marks", () => {
    using test = rich();
    const { messages } = test.store;
    const list = Object.freeze([...load(test.store), Object.freeze(user("frozen"))]);
    const saved = messages.saveTranscript("s1", list);
    messages.saveTranscript("s1", list);
    messages.saveTranscript("s1", structuredClone(saved.messages));
    expect(rows(test.store)).toBe(6);
    expect(list.at(-1)).toEqual(user("frozen"));
  });

  it("COR-23 across threads the returned list goes on", async () => {
    // The worker is a file of its own, which only the built package has.
    const built: string = "../dist/index.js";
    const { openStateStoreAsync } = (await import(built)) as typeof Core;
    using test = rich();
    await using store = await openStateStoreAsync({ path: test.path });
    const loaded = (await store.messages.conversation("s1")).messages;
    const saved = await store.messages.saveTranscript("s1", [...loaded, user("new")]);
    await store.messages.saveTranscript("s1", saved.messages);
    expect(rows(test.store)).toBe(6);
    const repeated = store.messages.saveTranscript("s1", [...loaded, user("new")]);
    await expect(repeated).rejects.toMatchObject({ code: "STATE_E_TRANSCRIPT_UNMARKED" });
  });

  it("COR-23 P14 a message that was stored before the flush, and one that is delivered twice, are stored once", () => {
    using test = rich();
    const { messages } = test.store;
    const inbound = { ...user("inbound"), platformMessageId: "m7" };
    messages.append("s1", inbound);
    const list = [...load(test.store).slice(0, 5), { ...inbound }, { role: "assistant", content: "a" }];
    expect(messages.saveTranscript("s1", list).appended.map((receipt) => receipt.existing)).toEqual([true, false]);
    list.push({ ...inbound }, { ...user("x"), platformMessageId: "p1" }, user("y"));
    expect(messages.saveTranscript("s1", list).appended.map((receipt) => receipt.existing)).toEqual([true, true, false]);
    expect(messages.saveTranscript("s1", list).appended).toEqual([]);
    expect(rows(test.store)).toBe(8);
  });

  it("COR-23 one object twice in a list becomes two rows with two marks", () => {
    using test = rich();
    const again = user("go on");
    const saved = test.store.messages.saveTranscript("s1", [...load(test.store), again, again]);
    expect(saved.appended.map((receipt) => receipt.id)).toEqual([6, 7]);
    expect(test.store.messages.saveTranscript("s1", saved.messages).appended).toEqual([]);
  });

  it("COR-21 COR-23 a save that fails marks nothing; the next one stores everything", () => {
    using test = rich();
    const { messages } = test.store;
    const list = [...load(test.store), user("good"), { role: "user", contents: "bad" } as NewMessage];
    expect(() => messages.saveTranscript("s1", list)).toThrow(TypeError);
    expect(list.at(-2)).toEqual(user("good"));
    expect(messages.saveTranscript("s1", [...list.slice(0, -1), user("good too")]).appended).toHaveLength(2);
  });
});

describe("COR-23 three cycles of load, flush and compact", () => {
  it.each([{}, { includeAncestors: true }])("COR-23 in place, the row count is exact: %j", (options) => {
    using test = rich();
    const { messages, compaction } = test.store;
    let expected = RICH.length;
    for (let cycle = 0; cycle < 3; cycle++) {
      const list: NewMessage[] = [...messages.conversation("s1", options).messages];
      messages.saveTranscript("s1", list);
      list.push(user(`turn ${String(cycle)}`), { role: "assistant", content: `reply ${String(cycle)}` });
      messages.saveTranscript("s1", structuredClone(list));
      expected += 2;
      expect(rows(test.store)).toBe(expected);
      const watermark = compaction.watermark("s1");
      const tail = messages.conversation("s1").messages.slice(-2);
      const summary = { ...user(`summary ${String(cycle)}`), compressedSummary: true };
      compaction.archive("s1", [summary, ...tail], { watermark, tailCount: 2 });
      expected += 3;
      expect(rows(test.store)).toBe(expected);
      expect(messages.saveTranscript("s1", load(test.store)).appended).toEqual([]);
    }
    expect(rows(test.store)).toBe(expected);
    expect(load(test.store).map((message) => message.content)).toEqual(["summary 2", "turn 2", "reply 2"]);
    expect(test.store.sessions.get("s1").messageCount).toBe(3);
  });

  it("COR-23 by rotation, what the child is given is new there, and nothing is stored twice", () => {
    using test = rich();
    const { messages, compaction } = test.store;
    let id = "s1";
    for (let cycle = 0; cycle < 3; cycle++) {
      const list = load(test.store, id);
      list.push(user(`turn ${String(cycle)}`));
      messages.saveTranscript(id, list);
      const { sessionId } = compaction.rotate(id, {}, {
        messages: [user(`summary ${String(cycle)}`), ...list.slice(-1)],
        watermark: compaction.watermark(id),
        requireLease: false,
      });
      expect(rows(test.store, sessionId)).toBe(2);
      expect(messages.saveTranscript(sessionId, load(test.store, sessionId)).appended).toEqual([]);
      const whole = [...messages.conversation(sessionId, { includeAncestors: true }).messages];
      expect(messages.saveTranscript(sessionId, whole).appended).toEqual([]);
      id = sessionId;
    }
    const total = test.store.read((r) => r.get("SELECT COUNT(*) AS n FROM messages"));
    expect(total).toEqual({ n: 5 + 3 + 3 * 2 });
  });

  it("COR-23 after a compaction an old list stores only what is new, and a compacted list is refused rather than doubled", () => {
    using test = rich();
    const { messages, compaction } = test.store;
    const list = load(test.store);
    const summary = user("summary");
    compaction.archive("s1", [summary, ...list.slice(-1)], { watermark: compaction.watermark("s1"), tailCount: 1 });
    const before = rows(test.store);
    expect(stateErrorOf(() => messages.saveTranscript("s1", [summary, ...list.slice(-1)])).code).toBe("STATE_E_TRANSCRIPT_ORDER");
    expect(stateErrorOf(() => messages.saveTranscript("s1", [{ ...summary }, { role: "assistant", content: "done" }])).code).toBe("STATE_E_TRANSCRIPT_UNMARKED");
    expect(messages.saveTranscript("s1", [...list, user("late")]).appended).toHaveLength(1);
    expect(rows(test.store)).toBe(before + 1);
  });
});

describe("COR-23 the marker is bound", () => {
  it("COR-23 to its session: a branch's seeds are new there, once", () => {
    using test = rich();
    const { sessions, messages } = test.store;
    sessions.create({ id: "b", source: "cli", parentSessionId: "s1", modelConfig: { _branched_from: "s1" } });
    const list = load(test.store);
    const seeded = messages.saveTranscript("b", list);
    expect(seeded.appended).toHaveLength(5);
    expect(rows(test.store, "b")).toBe(5);
    expect(load(test.store, "b").map((message) => message.content)).toEqual(list.map((message) => message.content));
    messages.saveTranscript("b", list);
    messages.saveTranscript("b", [...seeded.messages, user("in the branch")]);
    expect(rows(test.store, "b")).toBe(6);
    messages.saveTranscript("s1", [...list, user("in the parent")]);
    expect([rows(test.store), rows(test.store, "b")]).toEqual([6, 6]);
  });

  it("COR-23 to its store: a twin file with the same rows takes the list as new", () => {
    using test = rich();
    using dir = tempDir("twin");
    using twin = openStateStore({ path: dir.file("state.db"), clock: test.clock, random: testRandom(99) });
    twin.sessions.create({ id: "s1", source: "cli" });
    twin.messages.appendBatch("s1", RICH);
    const list = load(test.store);
    const { appended } = twin.messages.saveTranscript("s1", list);
    // The platform's id is the platform's word that it is the same message.
    expect(appended.map((receipt) => receipt.existing)).toEqual([true, false, false, false, false]);
    expect(rows(twin)).toBe(9);
    expect(twin.messages.saveTranscript("s1", list).appended).toEqual([]);
    expect(test.store.messages.saveTranscript("s1", list).appended).toEqual([]);
  });

  it("COR-23 to its row: an id that was given again after an older copy was put back is another message", () => {
    using test = rich();
    const list = load(test.store);
    sql(test.store, "DELETE FROM messages WHERE id = 5");
    sql(test.store, "INSERT INTO messages (id, session_id, role, content, timestamp, active) VALUES (5, 's1', 'assistant', 'done', 7, 1)");
    const error = stateErrorOf(() => test.store.messages.saveTranscript("s1", list));
    expect([error.code, error.facts["ids"]]).toEqual(["STATE_E_TRANSCRIPT_STALE", [5]]);
  });

  it("COR-23 a list from before a rotation is refused by the child that has its own rows, and seeds an empty one", () => {
    using test = rich();
    const { sessions, messages } = test.store;
    const list = load(test.store);
    sessions.end("s1", "compression");
    sessions.create({ id: "s2", source: "cli", parentSessionId: "s1" });
    expect(messages.saveTranscript("s1", list).appended).toEqual([]);
    const closed = stateErrorOf(() => messages.saveTranscript("s1", [...list, user("late")]));
    expect([closed.code, closed.facts["tipId"]]).toEqual(["STATE_E_COMPRESSION_CLOSED", "s2"]);
    expect(messages.saveTranscript("s2", [user("summary"), ...list.slice(-1)]).appended).toHaveLength(2);
    const error = stateErrorOf(() => messages.saveTranscript("s2", [...list.slice(0, 3), user("late")]));
    expect([error.code, error.facts["loadedFrom"]]).toEqual(["STATE_E_TRANSCRIPT_STALE", "s1"]);
    expect(rows(test.store, "s2")).toBe(2);
  });

  it("COR-23 a file that has no token yet is judged by its rows", () => {
    using test = rich();
    sql(test.store, "DELETE FROM state_meta WHERE key = 'db_file_generation'");
    const list = load(test.store);
    expect(test.store.messages.saveTranscript("s1", list).appended).toEqual([]);
    using other = openStateStore({ path: test.path });
    expect(other.messages.saveTranscript("s1", [...list, user("new")]).appended).toHaveLength(1);
  });

  it("COR-23 a session id may hold anything", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    for (const id of ["a:b c%20", "a:b", "大/别\n山", "\ud800"]) {
      sessions.create({ id, source: "cli" });
      messages.append(id, user("x"));
      expect(messages.saveTranscript(id, structuredClone(load(test.store, id))).appended).toEqual([]);
    }
  });
});

describe("COR-23 a list that was changed", () => {
  const refused = (change: (list: NewMessage[]) => NewMessage[], options: SaveTranscriptOptions = {}): unknown => {
    using test = rich();
    const list = change(load(test.store));
    try {
      return test.store.messages.saveTranscript("s1", list, options).appended.length;
    } catch (error) {
      expect(rows(test.store)).toBe(5);
      expect(test.store.sessions.get("s1").messageCount).toBe(5);
      return isStateError(error) ? error.code : (error as Error).name;
    }
  };

  it.each<[string, (list: NewMessage[]) => NewMessage[], unknown]>([
    ["a message left out in the middle", (list) => [list[0]!, ...list.slice(2), user("new")], 1],
    ["only the new message", () => [user("new")], 1],
    ["nothing at all", () => [], 0],
    ["a word changed", (list) => list.with(4, { ...list[4]!, content: "donE" }), "STATE_E_TRANSCRIPT_EDITED"],
    ["a nested value changed", (list) => list.with(1, { ...list[1]!, reasoningDetails: [] }), "STATE_E_TRANSCRIPT_EDITED"],
    ["a field added", (list) => list.with(4, { ...list[4]!, tokenCount: 5 }), "STATE_E_TRANSCRIPT_EDITED"],
    ["a field taken away", (list) => list.map(({ reasoning: _, ...rest }) => rest), "STATE_E_TRANSCRIPT_EDITED"],
    ["a moment changed", (list) => list.with(0, { ...list[0]!, timestampSeconds: 1 }), "STATE_E_TRANSCRIPT_EDITED"],
    ["a field of the caller's own", (list) => list.with(0, { ...list[0]!, expanded: true } as NewMessage), "STATE_E_TRANSCRIPT_EDITED"],
    ["stored messages in another order", (list) => [...list].reverse(), "STATE_E_TRANSCRIPT_ORDER"],
    ["two of them swapped", (list) => [list[0]!, list[2]!, list[1]!], "STATE_E_TRANSCRIPT_ORDER"],
    ["a new message in the middle", (list) => list.toSpliced(2, 0, user("new")), "STATE_E_TRANSCRIPT_ORDER"],
    ["a new message in front", (list) => [{ role: "system", content: "be kind" }, ...list], "STATE_E_TRANSCRIPT_ORDER"],
    ["a stored message a second time", (list) => [...list, { ...list[0]! }], "STATE_E_TRANSCRIPT_ORDER"],
    ["a stored message a second time without its marker", (list) => [...list, ...toWireMessages(list.slice(3, 4))], 1],
    ["the markers lost", (list) => toWireMessages(list.slice(1)).map((message) => ({ ...message })), 4],
    ["a marker of somebody else", (list) => list.with(0, { ...list[0]!, _persisted: "yes" }), "TypeError"],
    ["a marker that is no text", (list) => list.with(0, { ...list[0]!, _persisted: true as unknown as string }), "TypeError"],
    ["a marker of a later version", (list) => list.with(0, { ...list[0]!, _persisted: `2${list[0]!._persisted!.slice(1)}` }), "TypeError"],
    ["something that is no message", (list) => [...list, null as unknown as NewMessage], "TypeError"],
  ])("COR-23 %s", (_title, change, result) => {
    expect(refused(change)).toBe(result);
  });

  it("COR-23 names what was edited, and leaves the stored text on request", () => {
    using test = rich();
    const list = load(test.store).map((message, index) => (index === 2 ? { ...message, content: "pruned" } : message));
    const error = stateErrorOf(() => test.store.messages.saveTranscript("s1", [...list, user("new")]));
    expect(error.facts).toEqual({ sessionId: "s1", ids: [3], positions: [2] });
    const saved = test.store.messages.saveTranscript("s1", [...list, user("new")], { edited: "keep-stored" });
    expect(saved.appended).toHaveLength(1);
    expect(load(test.store)[2]!.content).toBe("out");
  });

  it("COR-23 a list that has lost its markers is refused, not stored once more, unless it was said again", () => {
    using test = openTestStore();
    const { sessions, messages } = test.store;
    sessions.create({ id: "s1", source: "cli" });
    const fresh = (): NewMessage[] => [user("hi"), { role: "assistant", content: "hello", toolCalls: [{ id: "c" }] }];
    messages.saveTranscript("s1", fresh());
    const error = stateErrorOf(() => messages.saveTranscript("s1", [...fresh(), user("more")]));
    expect([error.code, error.facts["ids"]]).toEqual(["STATE_E_TRANSCRIPT_UNMARKED", [1, 2]]);
    expect(rows(test.store)).toBe(2);
    const timed = fresh().map((message) => ({ ...message, timestampSeconds: 7 }));
    expect(messages.saveTranscript("s1", timed).appended).toHaveLength(2);
    expect(messages.saveTranscript("s1", fresh(), { repeated: "append" }).appended).toHaveLength(2);
    expect(rows(test.store)).toBe(6);
  });

  it("COR-23 what another process appended meanwhile neither stops a save nor is stored twice", () => {
    using test = rich();
    const list = load(test.store);
    using other = openStateStore({ path: test.path });
    other.messages.append("s1", user("from elsewhere"));
    expect(test.store.messages.saveTranscript("s1", [...list, user("mine")]).appended).toHaveLength(1);
    expect(load(test.store).slice(-2).map((message) => message.content)).toEqual(["from elsewhere", "mine"]);
  });

  it("COR-23 rows that were replaced, cleared or deleted are a stale list; rewound ones are not stored again", () => {
    using test = rich();
    const { messages } = test.store;
    const list = load(test.store);
    messages.rewindTo("s1", 4);
    expect(messages.saveTranscript("s1", [...list, user("new")]).appended).toHaveLength(1);
    expect(load(test.store).map((message) => message.content)).toEqual([expect.any(String), "", "out", "new"]);
    messages.replace("s1", [user("only")], "archive-dropped");
    expect(messages.saveTranscript("s1", list).appended).toEqual([]);
    for (const drop of [() => messages.replace("s1", [user("only")], "all"), () => messages.clear("s1")]) {
      drop();
      const error = stateErrorOf(() => messages.saveTranscript("s1", [...list, user("x")]));
      expect([error.code, error.facts["ids"]]).toEqual(["STATE_E_TRANSCRIPT_STALE", [1, 2, 3, 4, 5]]);
    }
    expect(rows(test.store)).toBe(0);
  });

  it("COR-23 refuses an unknown session by code, misspelt options by name", () => {
    using test = rich();
    const { messages } = test.store;
    for (const list of [[], [user("x")], load(test.store)]) {
      expect(stateErrorOf(() => messages.saveTranscript("nope", list)).code).toBe("STATE_E_SESSION_NOT_FOUND");
    }
    for (const options of [{ edit: "refuse" }, { edited: "yes" }, { repeated: "no" }]) {
      expect(() => messages.saveTranscript("s1", [], options as SaveTranscriptOptions)).toThrow(TypeError);
    }
  });
});

describe("COR-23 the marker stays at home", () => {
  it("COR-23 no wire message has it, nor the row id, and the list keeps both", () => {
    using test = rich();
    const { messages } = test.store.messages.conversation("s1", { includeRowIds: true });
    expect(Object.keys(messages[0]!)).toContain(PERSISTED_MARKER);
    const wire = toWireMessages(messages);
    expect(JSON.stringify(wire)).not.toContain(PERSISTED_MARKER);
    for (const message of wire) expect(Object.keys(message)).not.toContain("id");
    expect(wire.map((message) => message.content)).toEqual(messages.map((message) => message.content));
    expect(messages.every((message) => message.id !== undefined && message._persisted !== undefined)).toBe(true);
  });

  it("COR-23 the file never holds it: a loaded message is appended, batched and replaced like any other", () => {
    using test = rich();
    const { messages } = test.store;
    const [first] = messages.conversation("s1", { includeRowIds: true }).messages;
    const { platformMessageId: _, ...copy } = first!;
    messages.append("s1", copy);
    messages.appendBatch("s1", [copy, copy, copy]);
    messages.replace("s1", [...load(test.store)], "archive-dropped");
    expect(rows(test.store)).toBe(18);
    const dump = test.store.read((r) => JSON.stringify(r.all("SELECT * FROM messages")));
    expect(dump).not.toContain(PERSISTED_MARKER);
    expect(dump).not.toContain(first!._persisted);
  });
});
