import { StateError } from "@hermes/state-core";
import { describe, expect, it } from "vitest";
import type { SessionStoragePort } from "../src/index.js";
import { openWriter, user } from "./support/open-writer.js";

const S1 = { sessionId: "s1" };
const busy = (): never => {
  throw new StateError("STATE_E_BUSY", "database is locked");
};

describe("load", () => {
  it("GWS-05 raises when the conversation cannot be read, never shows an empty one", async () => {
    let broken: "standing" | "conversation" | undefined;
    const failing = (port: SessionStoragePort): SessionStoragePort => ({
      ...port,
      standing: (id) =>
        broken === "standing" ? Promise.reject(new StateError("STATE_E_IO", "disk I/O")) : port.standing(id),
      conversation: (id, options) =>
        broken === "conversation"
          ? Promise.reject(new StateError("STATE_E_IO", "disk I/O"))
          : port.conversation(id, options),
    });
    await using test = openWriter({}, failing);
    await test.writer.append(S1, user("a"));
    for (const what of ["standing", "conversation"] as const) {
      broken = what;
      await expect(test.writer.load(S1)).rejects.toMatchObject({ code: "STATE_E_IO" });
    }
    broken = undefined;
    expect(await test.writer.load(S1)).toMatchObject({ messages: [{ content: "a" }], unstored: [] });
  });

  it("GWS-05 sees every message that was appended before it, stored or not, in memory or on disk", async () => {
    await using test = openWriter();
    const append = test.writer.append(S1, user("a"));
    expect((await test.writer.load(S1)).messages).toMatchObject([{ content: "a" }]);
    await append;
    test.fault = busy;
    for (const text of ["b", "c", "d"]) await test.writer.append(S1, user(text));
    const loaded = await test.writer.load(S1);
    expect(loaded).toMatchObject({
      messages: [{ content: "a" }],
      unstored: [{ content: "b" }, { content: "c" }, { content: "d" }],
    });
    test.fault = () => undefined;
    expect(await test.writer.load(S1)).toMatchObject({ messages: [{}, {}, {}, { content: "d" }], unstored: [] });
  });

  it("GWS-05 follows a chain of rotations that nobody told it of, and passes its options on", async () => {
    await using test = openWriter();
    await test.writer.append(S1, user("old"));
    test.store.sessions.end("s1", "compression");
    test.store.sessions.create({ id: "t1", source: "telegram", parentSessionId: "s1" });
    test.store.sessions.end("t1", "compression");
    test.store.sessions.create({ id: "t2", source: "telegram", parentSessionId: "t1" });
    test.store.messages.append("t2", user("new"));
    expect(await test.writer.load(S1)).toMatchObject({ sessionId: "t2", messages: [{ content: "new" }] });
    const whole = await test.writer.load(S1, { includeAncestors: true });
    expect(whole.messages).toMatchObject([{ content: "old" }, { content: "new" }]);
  });
});

describe("rewrite and rewind", () => {
  it("GWS-05 a rewrite comes after what waits, and nothing of that comes back", async () => {
    await using test = openWriter();
    test.fault = busy;
    for (const text of ["a", "b", "c"]) await test.writer.append(S1, user(text));
    test.fault = () => undefined;
    const rewritten = test.writer.rewrite(S1, [user("x"), { role: "assistant", content: "y" }], "all");
    const after = test.writer.append(S1, user("z"));
    expect((await rewritten).messages).toHaveLength(2);
    await after;
    expect(test.texts("s1")).toEqual(["x", "y", "z"]);
    await test.writer.close();
    test.die();
    await test.writer.replay();
    expect(test.texts("s1")).toEqual(["x", "y", "z"]);
  });

  it("GWS-05 a rewrite that fails, or whose backlog cannot be stored, changes nothing and keeps the queue", async () => {
    let broken = false;
    await using test = openWriter({}, (port) => ({
      ...port,
      replace: (id, list, mode) =>
        broken ? Promise.reject(new StateError("STATE_E_IO", "no")) : port.replace(id, list, mode),
    }));
    await test.writer.append(S1, user("a"));
    test.fault = busy;
    await test.writer.append(S1, user("b"));
    const refused = { code: "STATE_E_TRANSCRIPT_BACKLOG", facts: { count: 1, code: "STATE_E_BUSY" } };
    await expect(test.writer.rewrite(S1, [user("x")], "all")).rejects.toMatchObject(refused);
    await expect(test.writer.rewind(S1)).rejects.toMatchObject(refused);
    expect([test.texts("s1"), test.writer.backlog()]).toEqual([["a"], { sessions: 1, queued: 0, spooled: 1 }]);
    test.fault = () => undefined;
    broken = true;
    await expect(test.writer.rewrite(S1, [user("x")], "all")).rejects.toMatchObject({ code: "STATE_E_IO" });
    expect(test.texts("s1")).toEqual(["a", "b"]);
    await expect(test.writer.rewrite(S1, [user("x"), { content: 1 } as never], "all")).rejects.toThrow(TypeError);
  });

  it("GWS-05 a rewrite of what the model sees keeps archived messages; one of all does not", async () => {
    await using test = openWriter();
    for (const [content, active] of [
      ["archived", false],
      ["seen", true],
    ] as const) {
      await test.writer.append(S1, user(content, { active }));
    }
    const all = (): unknown[] =>
      [...test.store.messages.iterate("s1", { include: "all" })].map(({ content }) => content);
    await test.writer.rewrite(S1, [user("x")], "active-only");
    expect(all()).toEqual(["archived", "x"]);
    await test.writer.rewrite(S1, [user("y")], "all");
    expect(all()).toEqual(["y"]);
  });

  it("GWS-05 a rewind takes turns back, all of them when there are fewer, and deletes nothing", async () => {
    await using test = openWriter();
    expect(await test.writer.rewind(S1)).toBeNull();
    for (const n of [1, 2, 3]) {
      await test.writer.append(S1, user(`q${n}`));
      await test.writer.append(S1, { role: "assistant", content: `a${n}` });
    }
    expect(await test.writer.rewind(S1)).toMatchObject({ rewoundCount: 2, target: { content: "q3" } });
    expect(await test.writer.rewind(S1, 99)).toMatchObject({ rewoundCount: 4, target: { content: "q1" } });
    expect((await test.writer.load(S1)).messages).toEqual([]);
    expect(test.store.messages.count("s1", "all")).toBe(6);
  });

  it("P16 GWS-05 both follow a rotation, also one that comes in between", async () => {
    let rotate = true;
    await using test = openWriter({}, (port) => ({
      ...port,
      replace: (id, list, mode) => {
        if (rotate) {
          rotate = false;
          test.store.sessions.end("t1", "compression");
          test.store.sessions.create({ id: "t2", source: "telegram", parentSessionId: "t1" });
        }
        return port.replace(id, list, mode);
      },
    }));
    test.store.sessions.end("s1", "compression");
    test.store.sessions.create({ id: "t1", source: "telegram", parentSessionId: "s1" });
    expect(await test.writer.rewrite(S1, [user("x")], "all")).toMatchObject({ sessionId: "t2" });
    await test.writer.append({ sessionId: "t2" }, user("y"));
    expect(await test.writer.rewind(S1)).toMatchObject({ target: { content: "y", sessionId: "t2" } });
  });
});
