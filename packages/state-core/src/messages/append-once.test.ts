import { describe, expect, it } from "vitest";
import { openTestStore } from "../../test/support/open-test-store.js";
import type { TestStore } from "../../test/support/open-test-store.js";
import { openStateStore } from "../index.js";
import type { StateStore } from "../index.js";

const HANDOFF = { messages: [{ role: "user", content: "summary" }], requireLease: false };

/** A conversation of three segments, each with one message of its own. */
function line(): TestStore {
  const test = openTestStore();
  const { store } = test;
  store.sessions.create({ id: "a", source: "telegram" });
  store.messages.append("a", { role: "user", content: "1", messageUid: "u1", platformMessageId: "p1" });
  for (const [from, to, n] of [
    ["a", "b", 2],
    ["b", "c", 3],
  ] as const) {
    store.compaction.rotate(from, { id: to }, { ...HANDOFF, watermark: store.compaction.watermark(from) });
    store.messages.append(to, { role: "user", content: String(n), messageUid: `u${String(n)}` });
  }
  return test;
}

function total(store: StateStore): number {
  return ["a", "b", "c"].reduce((sum, id) => sum + store.messages.count(id, "all"), 0);
}

describe("an append that may be a repetition", () => {
  it("P14 GWS-05 stores nothing when any segment holds its uid or its platform id, also after a reopen", () => {
    using test = line();
    const before = total(test.store);
    test.store.close();
    using store = openStateStore({ path: test.path });
    const again = (id: string, message: object): unknown =>
      store.messages.append(id, { role: "user", content: "again", ...message }, { once: true });
    for (const segment of ["a", "b", "c"]) {
      expect(again(segment, { messageUid: "u1" })).toMatchObject({ id: 1, sessionId: "a", existing: true });
      expect(again(segment, { messageUid: "new", platformMessageId: "p1" })).toMatchObject({ id: 1, existing: true });
      expect(again(segment, { messageUid: "u2" })).toMatchObject({ sessionId: "b", existing: true });
      expect(again(segment, { messageUid: "u3", platformMessageId: "" })).toMatchObject({
        sessionId: "c",
        existing: true,
      });
    }
    expect(total(store)).toBe(before);
    expect(again("c", { messageUid: "u4" })).toMatchObject({ sessionId: "c", existing: false });
    expect(again("c", {})).toMatchObject({ existing: false });
    expect(total(store)).toBe(before + 2);
    expect(store.messages.append("c", { role: "user", content: "x", messageUid: "u4" }).existing).toBe(false);
  });

  it("P14 GWS-05 by its platform id alone does not look for the uid", () => {
    using test = line();
    const { messages } = test.store;
    const redelivered = { role: "user", content: "1", platformMessageId: "p1" };
    expect(messages.append("c", redelivered).existing).toBe(false);
    expect(messages.append("c", { ...redelivered, messageUid: "x" }, { once: "platform-id" })).toMatchObject({
      sessionId: "c",
    });
    const known = { role: "user", content: "1", messageUid: "u1" };
    expect(messages.append("c", known, { once: "platform-id" }).existing).toBe(false);
    for (const once of [1, "uid", null])
      expect(() => messages.append("c", known, { once } as object)).toThrow(TypeError);
  });

  it("P14 GWS-05 names the live copy of what a rotation carried over", () => {
    using test = openTestStore();
    const { store } = test;
    store.sessions.create({ id: "a", source: "telegram" });
    store.messages.append("a", { role: "user", content: "old" });
    const watermark = store.compaction.watermark("a");
    store.messages.append("a", { role: "user", content: "carried", messageUid: "u1", platformMessageId: "p1" });
    store.compaction.rotate("a", { id: "b" }, { ...HANDOFF, watermark });
    for (const ids of [{ messageUid: "u1" }, { platformMessageId: "p1" }]) {
      const receipt = store.messages.append("a", { role: "user", ...ids }, { once: true });
      expect(receipt).toMatchObject({ sessionId: "b", existing: true });
    }
    const [turn] = store.messages.recentUserTurns("b", 1);
    expect(store.messages.append("a", { role: "user", messageUid: "u1" }, { once: true }).id).toBe(turn?.id);
  });

  it("P14 GWS-05 counts a message once within a batch, by either id, as one by one", () => {
    using test = line();
    const { messages } = test.store;
    const said = (more: object): { role: string } => ({ role: "user", content: "x", ...more }) as { role: string };
    const batch = [
      said({ messageUid: "n1", platformMessageId: "q1" }),
      said({ messageUid: "n1" }),
      said({ platformMessageId: "q1", messageUid: "n9" }),
      said({ messageUid: "u3" }),
      said({}),
      said({ messageUid: "n9" }),
    ];
    const receipts = messages.appendBatch("c", batch, { once: true });
    const [first, , , stored, plain, last] = receipts;
    expect(receipts.map(({ existing }) => existing)).toEqual([false, true, true, true, false, false]);
    expect(receipts.map(({ id }) => id)).toEqual([first, first, first, stored, plain, last].map((one) => one?.id));
  });

  it("P14 a branch of the conversation is another one", () => {
    using test = line();
    const { store } = test;
    store.sessions.create({
      id: "fork",
      source: "telegram",
      parentSessionId: "c",
      modelConfig: { _branched_from: "c" },
    });
    expect(store.messages.append("fork", { role: "user", messageUid: "u3" }, { once: true }).existing).toBe(false);
  });
});
