import { StateError } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import { openWriter, user } from "./support/open-writer.js";

const BUSY = new StateError("STATE_E_BUSY", "database is locked");
const busy = (): never => {
  throw BUSY;
};
const S1 = { sessionId: "s1" };

describe("the order of messages", () => {
  it("GWS-05 stores what is appended at once in the order it was given, one at a time per session", async () => {
    await using test = openWriter();
    test.store.sessions.create({ id: "s2", source: "telegram" });
    let running = 0;
    const most = new Map<string, number>();
    test.fault = async (sessionId) => {
      running += 1;
      most.set(sessionId, Math.max(most.get(sessionId) ?? 0, running));
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    };
    const receipts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => test.writer.append(n % 4 === 3 ? { sessionId: "s2" } : S1, user(`m${n}`))),
    );
    expect(receipts.every(({ state }) => state === "stored")).toBe(true);
    expect(test.texts("s1")).toEqual(
      Array.from({ length: 20 }, (_, n) => n)
        .filter((n) => n % 4 !== 3)
        .map((n) => `m${n}`),
    );
    expect(test.texts("s2")).toEqual(["m3", "m7", "m11", "m15", "m19"]);
    // Two sessions at a time, never two of one.
    expect(Math.max(...most.values())).toBe(2);
  });

  it("GWS-05 what is queued in memory is not acknowledged; the third failure puts it on disk, the next success stores it all", async () => {
    await using test = openWriter();
    test.fault = busy;
    const [first, second, third] = [
      await test.writer.append(S1, user("a")),
      await test.writer.append(S1, user("b")),
      await test.writer.append(S1, user("c")),
    ];
    expect([first, second, third]).toMatchObject([
      { state: "queued", durable: false, problem: { code: "STATE_E_BUSY" } },
      { state: "queued", durable: false },
      { state: "spooled", durable: true, problem: { code: "STATE_E_BUSY" } },
    ]);
    expect(test.warnings.map(({ level, what, failures }) => [level, what, failures])).toEqual([
      ["warning", "append_failed", 1],
      ["warning", "append_failed", 2],
      ["error", "append_failed", 3],
    ]);
    expect(test.spooled()).toHaveLength(3);
    expect(test.writer.backlog()).toEqual({ sessions: 1, queued: 0, spooled: 3 });
    test.fault = () => undefined;
    expect(await test.writer.append(S1, user("d"))).toMatchObject({ state: "stored", durable: true, existing: false });
    expect(test.texts("s1")).toEqual(["a", "b", "c", "d"]);
    expect(test.spooled()).toEqual([]);
    expect(test.writer.backlog()).toEqual({ sessions: 0, queued: 0, spooled: 0 });
    expect(test.writer.counters()).toMatchObject({ stored: 4, spooled: 3, failures: 3, existing: 0 });
  });

  it("GWS-05 a message whose sender waits goes to disk with the first failure, and keeps its place", async () => {
    await using test = openWriter();
    test.fault = busy;
    expect(await test.writer.append(S1, user("a"))).toMatchObject({ state: "queued" });
    expect(await test.writer.append(S1, user("b"), { durable: true })).toMatchObject({
      state: "spooled",
      durable: true,
    });
    expect(test.writer.backlog()).toEqual({ sessions: 1, queued: 1, spooled: 1 });
    test.fault = () => undefined;
    expect(await test.writer.append(S1, user("c"), { durable: true })).toMatchObject({ state: "stored" });
    expect(test.texts("s1")).toEqual(["a", "b", "c"]);
  });

  it("GWS-05 a success starts the count of failures anew", async () => {
    await using test = openWriter();
    for (const round of [1, 2, 3]) {
      test.fault = busy;
      await test.writer.append(S1, user(`lost ${round}`));
      test.fault = () => undefined;
      await test.writer.flush();
    }
    expect(test.warnings.map(({ failures }) => failures)).toEqual([1, 1, 1]);
    expect(test.texts("s1")).toEqual(["lost 1", "lost 2", "lost 3"]);
  });

  it("GWS-05 of 201 messages for a dead store the oldest is on disk and none is lost", async () => {
    await using test = openWriter();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    test.fault = async () => {
      await held;
      throw BUSY;
    };
    const appends = Array.from({ length: 201 }, (_, n) => test.writer.append(S1, user(`m${n}`)));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(
      test
        .spooled()
        .map((text) => (JSON.parse(text) as { data: { message: { content: string } } }).data.message.content),
    ).toEqual(["m0"]);
    expect(test.writer.backlog()).toEqual({ sessions: 1, queued: 200, spooled: 1 });
    release();
    const states = (await Promise.all(appends)).map(({ state }) => state);
    expect(states).toEqual(["spooled", ...Array.from({ length: 200 }, () => "queued")]);
    test.fault = () => undefined;
    expect(await test.writer.flush()).toEqual({ sessions: 0, queued: 0, spooled: 0 });
    expect(test.texts("s1")).toEqual(Array.from({ length: 201 }, (_, n) => `m${n}`));
    expect(test.names().filter((name) => !name.endsWith(".lock"))).toEqual([]);
  });

  it("GWS-05 the bound is of each session", async () => {
    await using test = openWriter();
    test.store.sessions.create({ id: "s2", source: "telegram" });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    test.fault = () => held;
    const appends = Array.from({ length: 400 }, (_, n) =>
      test.writer.append({ sessionId: n % 2 ? "s1" : "s2" }, user(`m${n}`)),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(test.spooled()).toEqual([]);
    release();
    expect((await Promise.all(appends)).every(({ durable }) => durable)).toBe(true);
  });

  it("GWS-05 close puts what waits on disk; the next writer stores it before new messages of that session", async () => {
    await using test = openWriter();
    test.fault = busy;
    await test.writer.append(S1, user("a"));
    await test.writer.append(S1, user("b"));
    await test.writer.close();
    expect(test.spooled()).toHaveLength(2);
    await expect(test.writer.append(S1, user("late"))).rejects.toMatchObject({ code: "STATE_E_CLOSED" });
    test.fault = () => undefined;
    test.die();
    expect(await test.writer.append(S1, user("c"))).toMatchObject({ state: "stored" });
    expect(test.texts("s1")).toEqual(["a", "b", "c"]);
    expect(test.writer.counters()).toMatchObject({ claimed: 2, stored: 3 });
  });

  it("GWS-05 what is appended while the writer closes is refused or durable", async () => {
    await using test = openWriter();
    test.fault = () => new Promise((resolve) => setTimeout(resolve, 2));
    const appends = ["a", "b", "c"].map((text) => test.writer.append(S1, user(text)));
    await Promise.resolve();
    await test.writer.close();
    const ends = await Promise.allSettled(appends);
    for (const end of ends) {
      if (end.status === "fulfilled") expect(end.value.durable).toBe(true);
      else expect(end.reason).toMatchObject({ code: "STATE_E_CLOSED" });
    }
    const kept = ends.filter(({ status }) => status === "fulfilled").length;
    test.fault = () => undefined;
    test.die();
    await test.writer.replay();
    expect(test.texts("s1")).toHaveLength(kept);
  });
});

describe("what a message is", () => {
  it("GWS-05 gets a uid before its first try and keeps one that was given", async () => {
    await using test = openWriter();
    const made = await test.writer.append(S1, user("a"));
    const given = await test.writer.append(S1, user("b", { messageUid: "mine" }));
    const [first, second] = [...test.store.messages.iterate("s1")];
    expect(first?.messageUid).toMatch(/^[0-9a-f]{32}$/);
    expect([made, given]).toMatchObject([{ messageUid: first?.messageUid }, { messageUid: "mine" }]);
    expect(second?.messageUid).toBe("mine");
  });

  it("GWS-05 an append that was stored though it failed is stored once", async () => {
    await using test = openWriter();
    let lost = true;
    const append = test.store.messages.append.bind(test.store.messages);
    test.store.messages.append = (...args) => {
      const receipt = append(...args);
      if (lost) throw new StateError("STATE_E_IO", "disk I/O error after the commit");
      return receipt;
    };
    expect(await test.writer.append(S1, user("a"))).toMatchObject({ state: "queued" });
    lost = false;
    expect(await test.writer.append(S1, user("b"))).toMatchObject({ state: "stored", existing: false });
    expect(test.texts("s1")).toEqual(["a", "b"]);
    expect(test.writer.counters()).toMatchObject({ stored: 2, existing: 1 });
  });

  it("P14 GWS-05 a message that the platform delivers again is stored once, also after a rotation and a restart", async () => {
    await using test = openWriter();
    const source = { platform: "telegram", messageId: "m1" };
    const first = await test.writer.append(S1, user("hi"), { source });
    expect(await test.writer.append(S1, user("hi"), { source })).toMatchObject({ state: "stored", existing: true });
    await test.writer.close();
    test.die();
    expect(await test.writer.append(S1, user("hi"), { source })).toMatchObject({ existing: true });
    test.store.sessions.end("s1", "compression");
    test.store.sessions.create({ id: "s1b", source: "telegram", parentSessionId: "s1" });
    test.store.messages.append("s1b", user("summary"));
    const again = await test.writer.append(S1, user("hi"), { source });
    expect(again).toMatchObject({
      state: "stored",
      existing: true,
      messageId: (first as { messageId: number }).messageId,
    });
    // Another id is another message, and two without an id are two.
    await test.writer.append(S1, user("hi"), { source: { ...source, messageId: "m2" } });
    await test.writer.append(S1, user("hi"));
    await test.writer.append(S1, user("hi"));
    expect([test.texts("s1"), test.texts("s1b")]).toEqual([["hi"], ["summary", "hi", "hi", "hi"]]);
  });

  it("P14 the same message twice while the store is dead is stored once", async () => {
    await using test = openWriter();
    test.fault = busy;
    await test.writer.append(S1, user("hi", { platformMessageId: "m1" }));
    await test.writer.append(S1, user("hi", { platformMessageId: "m1" }));
    await test.writer.append(S1, user("you"));
    test.fault = () => undefined;
    await test.writer.flush();
    expect(test.texts("s1")).toEqual(["hi", "you"]);
  });

  it("GWS-05 the id of the source is of what the user said, not of the answer", async () => {
    await using test = openWriter();
    const source = { platform: "telegram", messageId: "m1" };
    await test.writer.append(S1, user("ask"), { source });
    await test.writer.append(S1, { role: "assistant", content: "answer" }, { source });
    await test.writer.append(S1, user("own", { platformMessageId: "m9" }), { source });
    expect([...test.store.messages.iterate("s1")].map(({ platformMessageId }) => platformMessageId)).toEqual([
      "m1",
      null,
      "m9",
    ]);
  });

  it("GWS-05 only an assistant has reasoning, in memory and through the spool", async () => {
    await using test = openWriter();
    const thinking = {
      reasoning: "r",
      reasoningContent: "rc",
      reasoningDetails: [{ a: 1 }],
      codexReasoningItems: [1],
      codexMessageItems: [2],
    };
    await test.writer.append(S1, user("q", thinking));
    await test.writer.append(S1, { role: "assistant", content: "a", ...thinking });
    test.fault = busy;
    for (let n = 0; n < 3; n++) await test.writer.append(S1, { role: "assistant", content: `later ${n}`, ...thinking });
    test.fault = () => undefined;
    await test.writer.flush();
    const rows = [...test.store.messages.iterate("s1")];
    const seen = rows.map(
      ({ reasoning, reasoningContent, reasoningDetails, codexReasoningItems, codexMessageItems }) => ({
        reasoning,
        reasoningContent,
        reasoningDetails,
        codexReasoningItems,
        codexMessageItems,
      }),
    );
    const none = {
      reasoning: null,
      reasoningContent: null,
      reasoningDetails: null,
      codexReasoningItems: null,
      codexMessageItems: null,
    };
    expect(seen).toEqual([none, thinking, thinking, thinking, thinking]);
  });

  it("GWS-05 a message keeps the moment it came in and what it said then, however long it waits", async () => {
    await using test = openWriter();
    test.fault = busy;
    const parts = [{ type: "text", text: "before" }];
    await test.writer.append(S1, user("", { content: parts }));
    parts[0]!.text = "after";
    test.clock.advance(3_600_000);
    test.fault = () => undefined;
    await test.writer.append(S1, user("now"));
    const [waited, now] = [...test.store.messages.iterate("s1")];
    expect(waited?.content).toEqual([{ type: "text", text: "before" }]);
    expect((now?.timestampSeconds ?? 0) - (waited?.timestampSeconds ?? 0)).toBe(3600);
  });

  it("GWS-05 what the agent stored itself is left alone", async () => {
    await using test = openWriter();
    expect(await test.writer.append(S1, user("a"), { alreadyStored: true })).toEqual({
      state: "skipped",
      durable: false,
    });
    expect(test.texts("s1")).toEqual([]);
  });

  it("GWS-05 misuse is told at once and costs no other message", async () => {
    await using test = openWriter();
    const { writer } = test;
    await expect(writer.append(S1, { content: "x" } as never)).rejects.toThrow(TypeError);
    await expect(writer.append(S1, user("x", { contnet: 1 } as never))).rejects.toThrow(TypeError);
    await expect(writer.append({}, user("x"))).rejects.toThrow(TypeError);
    await expect(writer.append(S1, user("x"), { already: true } as never)).rejects.toThrow(TypeError);
    const round: Record<string, unknown> = {};
    round["self"] = round;
    await expect(writer.append(S1, user("", { content: round as never }))).rejects.toThrow(TypeError);
    expect(test.names()).toEqual([]);
    expect(await writer.append(S1, user("fine"))).toMatchObject({ state: "stored" });
  });
});
