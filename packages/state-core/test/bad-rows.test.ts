import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { isStateError, openStateStore } from "../src/index.js";
import type { StateStore } from "../src/index.js";

/** Four sessions; cells of three of them, and of one message, hold what no reader expects. */
function spoilt(path: string): StateStore {
  const store = openStateStore({ path });
  for (const [index, id] of ["good", "texttime", "hugetime", "blobtime"].entries()) {
    store.sessions.create({ id, source: "test", startedAtSeconds: 1_700_000_000 + index });
    store.messages.append(id, { role: "user", content: `of ${id}`, timestampSeconds: 1_700_000_100 + index });
  }
  store.write("spoil", (w) => {
    w.run("UPDATE sessions SET started_at = 'not-a-timestamp', last_activity_at = 'zzz' WHERE id = 'texttime'");
    w.run("UPDATE sessions SET started_at = 5.49e246, last_activity_at = 5.49e246 WHERE id = 'hugetime'");
    w.run("UPDATE sessions SET started_at = x'00ff', message_count = 'many' WHERE id = 'blobtime'");
    w.run("UPDATE messages SET timestamp = 'x' WHERE session_id = 'texttime'");
    w.run("UPDATE messages SET tool_calls = '[broken', display_metadata = '{' WHERE session_id = 'blobtime'");
  });
  return store;
}

describe("bad cells", () => {
  it("P28 COR-31 do not break the list, do not hijack its order, and are named", () => {
    using dir = tempDir("bad");
    using store = spoilt(dir.file("state.db"));
    for (const order of ["started", "active"] as const) {
      const { sessions } = store.sessions.list({ order });
      expect(sessions.map((row) => row.id).sort()).toEqual(["blobtime", "good", "hugetime", "texttime"]);
      const bad = sessions.find((row) => row.id === "texttime");
      expect(bad?.startedAtSeconds).toBeUndefined();
      expect(bad?.damaged).toContain("startedAtSeconds");
      expect(sessions.find((row) => row.id === "good")?.startedAtSeconds).toBe(1_700_000_000);
    }
    expect(store.sessions.count({})).toBe(4);
  });

  it("P28 do not break the transcript: the cell is undefined and named, its neighbours are whole", () => {
    using dir = tempDir("bad");
    using store = spoilt(dir.file("state.db"));
    const [text] = store.messages.page("texttime").messages;
    expect(text?.timestampSeconds).toBeUndefined();
    expect(text?.content).toBe("of texttime");
    expect(text?.damaged).toContain("timestampSeconds");
    const [blob] = store.messages.page("blobtime").messages;
    expect(blob).toMatchObject({ content: "of blobtime", displayMetadata: undefined });
    expect(blob?.damaged).toContain("displayMetadata");
    for (const id of ["texttime", "blobtime"]) {
      const transcript = store.messages.conversation(id);
      expect(transcript.messages.map((message) => message.content)).toEqual([`of ${id}`]);
      expect(transcript.damaged).toHaveLength(1);
    }
    expect(store.sessions.get("good").messageCount).toBe(1);
  });

  it("P28 sessions with bad cells still take messages and can be ended", () => {
    using dir = tempDir("bad");
    using store = spoilt(dir.file("state.db"));
    for (const id of ["texttime", "hugetime", "blobtime"]) {
      const { id: row } = store.messages.append(id, { role: "user", content: "more" });
      expect(store.messages.get(row).content).toBe("more");
      store.sessions.end(id, "done");
      expect(store.sessions.get(id).endReason).toBe("done");
    }
  });

  it.each([["not-a-timestamp"], [5.49e246], [Number.NaN], [Infinity], [-1e18], [new Date(0)], [12n]])(
    "P28 a write refuses the timestamp %s, and stores nothing",
    (value) => {
      using dir = tempDir("bad");
      using store = openStateStore({ path: dir.file("state.db") });
      store.sessions.create({ id: "s1", source: "test" });
      const refused = (fn: () => unknown): void => {
        let thrown: unknown;
        try {
          fn();
        } catch (error) {
          thrown = error;
        }
        const misuse = thrown instanceof TypeError || thrown instanceof RangeError;
        expect(misuse || isStateError(thrown), String(thrown)).toBe(true);
      };
      refused(() => store.messages.append("s1", { role: "user", content: "x", timestampSeconds: value as number }));
      refused(() => store.sessions.create({ id: "s2", source: "test", startedAtSeconds: value as number }));
      expect(store.messages.count("s1")).toBe(0);
      expect(store.sessions.find("s2")).toBeUndefined();
    },
  );
});
