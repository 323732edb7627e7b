import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sessionSearch, type SessionSearchArgs, type SessionSearchHost } from "../src/index.js";
import { sessionFixture, type SessionFixture } from "./helpers/session-fixture.js";

type Reply = Record<string, unknown>;

const TEXT: unknown = expect.any(String);

describe("sessionSearch, scroll, read and browse", () => {
  let fixture: SessionFixture;
  let create: SessionFixture["create"];
  let say: SessionFixture["say"];

  beforeEach(() => {
    fixture = sessionFixture("modes");
    ({ create, say } = fixture);
  });

  afterEach(() => {
    fixture[Symbol.dispose]();
  });

  function ask(args: SessionSearchArgs, host: SessionSearchHost = {}): Reply {
    const reply = sessionSearch(fixture.store, args, host);
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
    return reply;
  }
  const refusal = (args: SessionSearchArgs, host?: SessionSearchHost): string => {
    const { success, error } = ask(args, host);
    expect(success).toBe(false);
    expect(error).toEqual(TEXT);
    return error as string;
  };
  const contents = (reply: Reply): unknown[] => (reply["messages"] as { content: string }[]).map(({ content }) => content);

  it("SEA-15 infers the mode: scroll before read before discover before browse", () => {
    create("s");
    const id = say("s", "needle");
    const all = { query: "needle", session_id: "s", around_message_id: id };
    expect(ask(all)["mode"]).toBe("scroll");
    expect(ask({ ...all, around_message_id: null })["mode"]).toBe("read");
    expect(ask({ ...all, session_id: " " })["mode"]).toBe("discover");
    expect(ask({ query: " \n" })["mode"]).toBe("browse");
    expect(ask({})["mode"]).toBe("browse");
  });

  it("SEA-15 scrolls around a message, in a window of 1 to 20", () => {
    create("s", { title: "T" });
    const said = Array.from({ length: 60 }, (_, n) => say("s", `m${String(n)}`));
    const at = (window?: number): Reply => ask({ session_id: "s", around_message_id: said[30]!, ...(window !== undefined && { window }) });
    expect(at()).toMatchObject({
      success: true, window: 5, messages_before: 5, messages_after: 5, link: "@session:s",
      session_meta: { session_id: "s", title: "T", source: "cli", message_count: 60 },
    });
    expect(at(500)).toMatchObject({ window: 20, messages_before: 20, messages_after: 20 });
    expect(at(0)).toMatchObject({ window: 1, messages_before: 1, messages_after: 1 });
    expect((at(1)["messages"] as Reply[]).map((message) => message["anchor"] ?? false)).toEqual([false, true, false]);
    expect(ask({ session_id: "s", around_message_id: "31" as never })["success"]).toBe(true);
  });

  it("SEA-15 caps texts when scrolling and reading, and keeps hidden and rewound rows out", () => {
    create("s");
    const id = say("s", "x".repeat(10_000));
    say("s", "secret", { displayKind: "hidden" });
    say("s", "taken back", { active: false });
    for (const args of [{ session_id: "s", around_message_id: id }, { session_id: "s" }]) {
      expect(contents(ask(args))).toEqual(["x".repeat(4000)]);
    }
  });

  it("SEA-15 refuses an anchor that is no number, unknown, elsewhere or hidden", () => {
    create("s");
    const id = say("s", "here");
    create("other");
    const other = say("other", "there");
    const hidden = say("s", "secret", { displayKind: "hidden" });
    for (const around_message_id of ["x", 1.5, true] as never[]) refusal({ session_id: "s", around_message_id });
    refusal({ session_id: "nobody", around_message_id: id });
    for (const around_message_id of [other, hidden, 999, -1]) refusal({ session_id: "s", around_message_id });
    refusal({ session_id: "s", window: "wide" as never });
  });

  it("SEA-15 goes to the segment that holds the anchor, and warns", () => {
    create("one");
    const id = say("one", "early");
    fixture.store.sessions.end("one", "compression");
    create("two", { parentSessionId: "one" });
    expect(ask({ session_id: "two", around_message_id: id })).toMatchObject({
      success: true, session_id: "one", warning: TEXT, messages: [{ content: "early" }],
    });
    expect(ask({ session_id: "one", around_message_id: id })).not.toHaveProperty("warning");
  });

  it("SEA-15 refuses to scroll to what is in the active context or was taken back", () => {
    create("old");
    const before = say("old", "before");
    const rewoundBefore = say("old", "rewound", { active: false });
    fixture.store.sessions.end("old", "compression");
    create("now", { parentSessionId: "old" });
    const live = say("now", "live");
    const archived = say("now", "archived", { active: false, compacted: true });
    const rewound = say("now", "rewound", { active: false });
    const host = { currentSessionId: "now" };
    refusal({ session_id: "now", around_message_id: live }, host);
    refusal({ session_id: "now", around_message_id: rewound }, host);
    refusal({ session_id: "old", around_message_id: rewoundBefore }, host);
    for (const [session_id, around_message_id] of [["old", before], ["now", archived]] as const) {
      expect(ask({ session_id, around_message_id }, host)["success"]).toBe(true);
    }
    expect(ask({ session_id: "now", around_message_id: live })["success"]).toBe(true);
  });

  it("SEA-15 reads a session whole, or its first 20 and last 10 messages", () => {
    create("s");
    for (let n = 0; n < 30; n++) say("s", `\u001b[1mm${String(n)}`);
    expect(ask({ session_id: "@session:s" })).toMatchObject({ mode: "read", truncated: false, message_count: 30 });
    expect(contents(ask({ session_id: "s" }))).toEqual(Array.from({ length: 30 }, (_, n) => `m${String(n)}`));
    say("s", "m30");
    const reply = ask({ session_id: "s" });
    expect(reply).toMatchObject({ truncated: true, message_count: 31, hint: TEXT });
    const kept = [...Array.from({ length: 20 }, (_, n) => n), ...Array.from({ length: 10 }, (_, n) => n + 21)];
    expect(contents(reply)).toEqual(kept.map((n) => `m${String(n)}`));
    refusal({ session_id: "nobody" });
  });

  it("SEA-15 browses the newest conversations without the current lineage, children or hidden sources", () => {
    create("root");
    fixture.store.sessions.end("root", "compression");
    for (let n = 0; n < 5; n++) {
      create(`s${String(n)}`, { title: `T${String(n)}` });
      say(`s${String(n)}`, `hello ${String(n)}`);
      for (let k = 0; k < 20; k++) create(`d${String(n)}-${String(k)}`, { source: "subagent", parentSessionId: `s${String(n)}` });
    }
    create("now", { parentSessionId: "root" });
    say("now", "live");
    const reply = ask({}, { currentSessionId: "now", profile: "custom" });
    expect(reply).toMatchObject({ success: true, count: 3 });
    expect((reply["results"] as Reply[]).map((result) => result["session_id"])).toEqual(["s4", "s3", "s2"]);
    expect((reply["results"] as Reply[])[0]).toEqual({
      session_id: "s4", link: "@session:s4", title: "T4", source: "cli", started_at: TEXT,
      last_active: TEXT, message_count: 1, preview: "hello 4",
    });
    expect(ask({ limit: 10 }, { currentSessionId: "now" })["count"]).toBe(5);
  });

  it("SEA-15 never throws for what an agent passes or an engine does", () => {
    create("s");
    say("s", "needle");
    const odd: unknown[] = [
      null, 7, "text", [], { query: 7 }, { limit: "many" }, { sort: "best" }, { detail: "some" }, { scope: "world" },
      { profile: "../../etc" }, { profile: {} }, { session_id: [] }, { qeury: "needle" }, { limit: Number.NaN },
    ];
    for (const args of odd) refusal(args as SessionSearchArgs);
    expect(sessionSearch(undefined, { query: "x" })).toMatchObject({ success: false, guidance: TEXT });
    expect(() => sessionSearch(fixture.store, {}, { current: "s" } as never)).toThrow(TypeError);
    fixture.store.close();
    for (const args of [{ query: "needle" }, {}, { session_id: "s" }, { session_id: "s", around_message_id: 1 }]) {
      expect(ask(args)).toMatchObject({ success: false, guidance: TEXT });
    }
  });

  it("SEA-15 answers with an error when the rows cannot be read", () => {
    create("s");
    say("s", "needle");
    fixture.store.write("break the file", (w) => {
      w.exec("ALTER TABLE messages RENAME TO gone");
    });
    for (const args of [{ query: "needle" }, { session_id: "s" }]) {
      expect(ask(args)).toMatchObject({ success: false, guidance: TEXT });
    }
  });

  it("SEA-14 counts the turns that an undo counts, however many handoffs lie between", () => {
    create("s");
    const turns = Array.from({ length: 5 }, (_, n) => say("s", `turn ${String(n)}`));
    for (let n = 0; n < 30; n++) say("s", "[CONTEXT COMPACTION] earlier turns");
    for (let n = 0; n < 30; n++) say("s", "[CONTEXT SUMMARY]: earlier turns");
    const last = say("s", "x".repeat(100));
    const found = fixture.store.messages.recentUserTurns("s", 5);
    expect(found.map(({ id }) => id)).toEqual([last, ...turns.slice(1).reverse()]);
    expect(found[0]!.preview).toBe(`${"x".repeat(77)}...`);
  });
});
