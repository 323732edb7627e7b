import { describe, expect, it } from "vitest";
import type { NewMessage, StateStore } from "../src/index.js";
import { wrongCounters } from "./support/dump-store.js";
import { failAtEveryStatement } from "./support/every-statement.js";

const five: readonly NewMessage[] = [1, 2, 3, 4, 5].map((n) => ({
  role: n % 2 ? "user" : "assistant",
  content: `message ${String(n)} 大别山`,
  ...(n % 2 === 0 && { toolCalls: [{ id: `c${String(n)}` }, { id: `d${String(n)}` }] }),
}));

function lay(store: StateStore): void {
  store.sessions.create({ id: "s1", source: "cli" });
  store.messages.appendBatch("s1", five);
  store.messages.append("s1", { role: "user", content: "known", platformMessageId: "p1" });
  store.messages.react(1, { sessionId: "s1", author: "user", emoji: "👍" });
}

function rewound(store: StateStore): void {
  lay(store);
  store.messages.rewindTo("s1", 3);
}

/** New objects each time: a write marks those it stores. */
const more = (): NewMessage[] => five.map((message) => ({ ...message }));
const redelivered = { role: "user", content: "known", platformMessageId: "p1" };

/** What is done, before it what is laid out, and how many rows there are at last: live, and in all. */
const WRITES: readonly [string, (store: StateStore) => void, (store: StateStore) => unknown, number, number][] = [
  ["COR-21 an append", lay, (store) => store.messages.append("s1", { role: "user", content: "x", toolCalls: [{ id: "c" }] }), 7, 7],
  ["COR-21 a small batch", lay, (store) => store.messages.appendBatch("s1", more().slice(0, 2)), 8, 8],
  ["COR-21 a batch that is indexed at once", lay, (store) => store.messages.appendBatch("s1", [...more(), redelivered]), 11, 11],
  ["COR-23 a transcript", lay, (store) => store.messages.saveTranscript("s1", [...store.messages.conversation("s1").messages, ...more(), { ...redelivered }]), 11, 11],
  ["COR-23 a transcript of one new message", lay, (store) => store.messages.saveTranscript("s1", [{ role: "user", content: "new" }]), 7, 7],
  ["COR-27 a rewind", lay, (store) => store.messages.rewindTo("s1", 3), 2, 6],
  ["COR-27 a restore", rewound, (store) => store.messages.restoreFrom("s1", 3), 6, 6],
  ["COR-27 a replacement of all", rewound, (store) => store.messages.replace("s1", more(), "all"), 5, 5],
  ["COR-27 a replacement of what is live", rewound, (store) => store.messages.replace("s1", more(), "active-only"), 5, 9],
  ["COR-27 a replacement that archives", rewound, (store) => store.messages.replace("s1", more().slice(0, 2), "archive-dropped"), 2, 8],
  ["COR-27 a clearing", rewound, (store) => store.messages.clear("s1"), 0, 0],
  ["COR-36 a reaction", lay, (store) => store.messages.react(2, { sessionId: "s1", author: "bot", emoji: "x" }), 6, 6],
  ["COR-36 a taking notice", lay, (store) => store.messages.takeUnseenReactions("s1"), 6, 6],
];

describe("GND-03 a failure at every statement leaves every row as it was", () => {
  it.each(WRITES)("%s", (_title, layOut, act, live, all) => {
    using after = failAtEveryStatement({ lay: layOut, act });
    expect(after.statements).toBeGreaterThanOrEqual(4);
    const { messages } = after.store;
    expect([messages.count("s1"), messages.count("s1", "all")]).toEqual([live, all]);
    expect(wrongCounters(after.store)).toEqual([]);
    const meta = after.store.read((r) => r.all("SELECT key FROM state_meta WHERE key LIKE 'fts_rebuild%'"));
    expect(meta).toEqual([]);
  });

  it("COR-23 a save that failed leaves the caller's messages unmarked, and the next one stores them once", () => {
    const list: NewMessage[] = more();
    using after = failAtEveryStatement({
      lay,
      act: (store) => {
        expect(list.every((message) => !("_persisted" in message))).toBe(true);
        store.messages.saveTranscript("s1", list, { repeated: "append" });
      },
    });
    expect(list.every((message) => "_persisted" in message)).toBe(true);
    expect(after.store.messages.saveTranscript("s1", list).appended).toEqual([]);
  });
});
