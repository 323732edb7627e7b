import { describePython, runPython } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";
import type { ReactionChange } from "../src/index.js";
import { openTestStore, sql } from "./support/open-test-store.js";
import type { TestStore } from "./support/open-test-store.js";

function withMessages(): TestStore {
  const test = openTestStore();
  test.store.sessions.create({ id: "s1", source: "cli" });
  test.store.messages.appendBatch("s1", [
    { role: "user", content: "question" },
    { role: "assistant", content: [{ type: "text", text: "answer" }], displayMetadata: { kept: { deep: [1] } } },
  ]);
  return test;
}

const by = (author: string, emoji: string | null, sessionId = "s1"): ReactionChange => ({ sessionId, author, emoji });

describe("COR-36 reactions", () => {
  it("COR-36 one per author: the same takes it back, another replaces it, null clears", () => {
    using test = withMessages();
    const { messages } = test.store;
    const at = test.clock.now();
    const metadata = (): unknown => messages.get(2).displayMetadata;
    expect(messages.react(2, by("user", "👍"))).toEqual([{ emoji: "👍", author: "user", at }]);
    expect(metadata()).toEqual({ kept: { deep: [1] }, reactions: [{ emoji: "👍", author: "user", at }] });
    test.clock.advance(1000);
    expect(messages.react(2, by("bot", "👀"))).toHaveLength(2);
    expect(messages.react(2, by("user", "❤️"))).toEqual([
      { emoji: "👀", author: "bot", at: at + 1 },
      { emoji: "❤️", author: "user", at: at + 1 },
    ]);
    expect(messages.react(2, by("user", "❤️"))).toEqual([{ emoji: "👀", author: "bot", at: at + 1 }]);
    expect(messages.react(2, by("bot", null))).toEqual([]);
    expect(messages.react(2, by("bot", null))).toEqual([]);
    expect(metadata()).toEqual({ kept: { deep: [1] } });
    messages.react(1, by("user", "x"));
    messages.react(1, by("user", "x"));
    expect(messages.get(1).displayMetadata).toBeNull();
  });

  it("COR-36 a message of another session is not there", () => {
    using test = withMessages();
    const { messages, sessions } = test.store;
    sessions.create({ id: "other", source: "cli" });
    expect(messages.react(2, by("user", "👍", "other"))).toBeNull();
    expect(messages.react(99, by("user", "👍"))).toBeNull();
    expect(messages.get(2).displayMetadata).toEqual({ kept: { deep: [1] } });
  });

  it("COR-36 unseen reactions are given out once, to one of two handles, of the asked author, of live rows", () => {
    using test = withMessages();
    const { messages } = test.store;
    messages.react(1, by("bot", "🤖"));
    messages.react(1, by("user", "👍"));
    messages.react(2, by("user", "❤️"));
    messages.react(2, by("bot", "👀"));
    using other = openStateStore({ path: test.path });
    expect(other.messages.takeUnseenReactions("s1")).toEqual([
      { id: 1, role: "user", emoji: "👍", text: "question" },
      { id: 2, role: "assistant", emoji: "❤️", text: "answer" },
    ]);
    expect(messages.takeUnseenReactions("s1")).toEqual([]);
    expect(messages.takeUnseenReactions("s1", "bot")).toHaveLength(2);
    messages.react(2, by("user", "🎉"));
    messages.react(1, by("user", "🎉"));
    messages.rewindTo("s1", 1);
    expect(messages.takeUnseenReactions("s1")).toEqual([]);
    messages.restoreFrom("s1", 1);
    expect(messages.takeUnseenReactions("s1").map((reaction) => reaction.emoji)).toEqual(["🎉", "🎉"]);
    expect(messages.takeUnseenReactions("nope")).toEqual([]);
  });

  it("COR-36 asking for unseen ones when there are none writes nothing", () => {
    using test = withMessages();
    test.store.messages.react(1, by("user", "👍"));
    test.store.messages.takeUnseenReactions("s1");
    using reader = openStateStore({ path: test.path, mode: "read" });
    expect(reader.messages.takeUnseenReactions("s1")).toEqual([]);
  });

  it.each(['{"reactions": "x"}', '{"reactions": [1, {"emoji": 2, "author": "user"}, null]}', "[broken", '"{\\"reactions\\": []}"'])(
    "COR-36 P28 odd metadata is no obstacle: %s",
    (text) => {
      using test = withMessages();
      sql(test.store, "UPDATE messages SET display_metadata = ? WHERE id = 1", text);
      expect(test.store.messages.takeUnseenReactions("s1")).toEqual([]);
      expect(test.store.messages.react(1, by("user", "👍"))).toHaveLength(1);
      expect(test.store.messages.takeUnseenReactions("s1")).toHaveLength(1);
    },
  );

  it("COR-36 a reaction changes neither counters nor markers of what was loaded", () => {
    using test = withMessages();
    const { messages, sessions } = test.store;
    const list = messages.conversation("s1").messages;
    messages.react(2, by("user", "👍"));
    expect(messages.saveTranscript("s1", list).appended).toEqual([]);
    expect(sessions.get("s1").messageCount).toBe(2);
  });

  it("COR-36 refuses misuse by name", () => {
    using test = withMessages();
    const { messages } = test.store;
    const bad = [{}, { ...by("user", "x"), emojy: "x" }, by("", "x"), by("user", ""), { ...by("user", "x"), sessionId: 5 }];
    for (const change of bad) expect(() => messages.react(1, change as ReactionChange)).toThrow(TypeError);
    expect(() => messages.react(1.5, by("user", "x"))).toThrow(TypeError);
  });
});

describePython("COR-36 GND-02 beside a real Python process", () => {
  it("COR-36 each side reads what the other wrote, in the other's spelling", () => {
    using test = withMessages();
    test.store.messages.react(1, by("user", "👍"));
    const python = `
db = sqlite3.connect(args)
meta = json.loads(db.execute("SELECT display_metadata FROM messages WHERE id = 1").fetchone()[0])
mine = {"reactions": [{"emoji": "\\u2764", "author": "user", "at": 5.5}]}
db.execute("UPDATE messages SET display_metadata = ? WHERE id = 2", (json.dumps(mine),))
db.commit()
answer(meta)`;
    const at = test.clock.now();
    expect(runPython(python, test.path)).toEqual({ reactions: [{ emoji: "👍", author: "user", at }] });
    expect(test.store.messages.takeUnseenReactions("s1").map((reaction) => reaction.emoji)).toEqual(["👍", "❤"]);
    const seen = "answer(json.loads(sqlite3.connect(args).execute(\"SELECT display_metadata FROM messages WHERE id = 2\").fetchone()[0]))";
    expect(runPython(seen, test.path)).toEqual({ reactions: [{ emoji: "❤", author: "user", at: 5.5, seen: true }] });
  });
});
