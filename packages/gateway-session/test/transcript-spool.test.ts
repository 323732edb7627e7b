import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StateError, systemClock, systemRandom } from "@hermes/state-core";
import { fileMode, withUmask } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openTranscriptWriter, sqliteStorage } from "../src/index.js";
import type { TranscriptWriter } from "../src/index.js";
import { openWriter, user } from "./support/open-writer.js";
import type { TestWriter } from "./support/open-writer.js";

const S1 = { sessionId: "s1", sessionKey: "agent:main:telegram:dm:c1" };
const busy = (): never => {
  throw new StateError("STATE_E_BUSY", "database is locked");
};

/** Spools messages and leaves them behind. */
async function leave(test: TestWriter, ...texts: readonly string[]): Promise<void> {
  test.fault = busy;
  for (const text of texts) await test.writer.append(S1, user(text));
  await test.writer.close();
  test.fault = () => undefined;
}

function another(test: TestWriter): TranscriptWriter {
  return openTranscriptWriter(sqliteStorage(test.store), { spoolFolder: test.folder });
}

/** A file as the peer writes it. */
function peerFile(test: TestWriter, name: string, payload: unknown): void {
  mkdirSync(test.folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(test.folder, name), typeof payload === "string" ? payload : JSON.stringify(payload));
}

const peerPayload = (ts: number, seq: number, message: unknown, more: object = {}): unknown => {
  const data = { session_id: "s1", message };
  return { session_key: S1.sessionKey, reason: "transcript_cap_drop", ts, seq, data, ...more };
};

describe("files of the spool", () => {
  it("GWS-05 are private whatever the umask, in a private folder, and say what 7.11 says", async () => {
    await using test = openWriter();
    await withUmask(0, () => leave(test, "a", "b"));
    expect(fileMode(test.folder)).toBe(0o700);
    for (const name of test.names()) expect(fileMode(join(test.folder, name))).toBe(0o600);
    expect(test.names().every((name) => /^pending-[0-9a-f]{32}\.json$/.test(name))).toBe(true);
    const [first, second] = test.spooled().map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(Object.keys(first ?? {})).toEqual(["session_key", "reason", "ts", "seq", "data"]);
    expect(first).toMatchObject({
      session_key: S1.sessionKey,
      reason: "transcript_cap_drop",
      data: { session_id: "s1", message: { role: "user", content: "a", timestamp: test.clock.now() } },
    });
    expect(first?.["seq"] as number).toBeLessThan(second?.["seq"] as number);
  });

  it("GWS-05 a folder that others could read is closed to them", async () => {
    await using test = openWriter();
    mkdirSync(test.folder, { mode: 0o755 });
    chmodSync(test.folder, 0o755);
    await leave(test, "a");
    expect(statSync(test.folder).mode & 0o777).toBe(0o700);
  });

  it("GWS-05 keep every field of a message", async () => {
    await using test = openWriter();
    const whole = {
      role: "assistant",
      content: [
        { type: "text", text: "naïve \u{1F469}‍\u{1F4BB} \u0000 日本" },
        { type: "image", data: "x" },
      ],
      toolCallId: "t",
      toolCalls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      toolName: "f",
      effectDisposition: "applied",
      timestampSeconds: 1_799_999_999.123456,
      tokenCount: 7,
      finishReason: "stop",
      reasoning: "r",
      reasoningContent: "",
      reasoningDetails: { a: [1.5, null] },
      codexReasoningItems: [1],
      codexMessageItems: [{ b: true }],
      platformMessageId: "p1",
      observed: true,
      compressedSummary: true,
      apiContent: "wire",
      displayKind: "steer",
      displayMetadata: { k: 1 },
      messageUid: "u1",
      absorbedMessageUids: ["u0"],
      toolCallUids: ["x"],
      toolCallUid: "y",
    };
    const direct = await test.writer.append(S1, whole);
    const spooled = { ...whole, platformMessageId: "p2", messageUid: "u2" };
    test.fault = busy;
    await test.writer.append(S1, spooled);
    await test.writer.close();
    test.fault = () => undefined;
    test.die();
    await test.writer.replay();
    expect(direct.state).toBe("stored");
    const [one, two] = [...test.store.messages.iterate("s1", { include: "all" })].map(({ id: _, ...row }) => row);
    expect({ ...two, platformMessageId: "p1", messageUid: "u1" }).toEqual(one);
    expect(one).toMatchObject({ content: whole.content, toolCalls: whole.toolCalls, reasoningContent: "" });
  });

  it("GWS-05 are replayed in the order they came in, whatever the names, and whatever the clock did", async () => {
    await using test = openWriter();
    test.fault = busy;
    for (const text of ["a", "b", "c", "d"]) {
      await test.writer.append(S1, user(text));
      test.clock.set(test.clock.now() - 100);
    }
    await test.writer.close();
    test.fault = busy;
    test.die();
    await test.writer.append(S1, user("e"));
    await test.writer.close();
    test.fault = () => undefined;
    test.die();
    expect(await test.writer.replay()).toEqual({ sessions: 0, queued: 0, spooled: 0 });
    expect(test.texts("s1")).toEqual(["a", "b", "c", "d", "e"]);
    expect(test.spooled()).toEqual([]);
  });

  it("GWS-05 that were stored before a kill are not stored twice", async () => {
    await using test = openWriter();
    await leave(test, "a", "b", "c");
    const files = test.names().map((name) => [name, readFileSync(join(test.folder, name), "utf8")] as const);
    test.die();
    await test.writer.replay();
    await test.writer.close();
    for (const [name, text] of files) writeFileSync(join(test.folder, name), text);
    test.die();
    await test.writer.replay();
    expect(test.texts("s1")).toEqual(["a", "b", "c"]);
    expect(test.writer.counters()).toMatchObject({ claimed: 3, existing: 3 });
  });
});

describe("files of the peer", () => {
  it("GWS-05 are replayed in order: by time, number and name", async () => {
    await using test = openWriter();
    const say = (content: string): object => ({ role: "user", content });
    peerFile(test, `pending-${"f".repeat(32)}.json`, peerPayload(100, 1, say("a")));
    peerFile(test, `pending-${"1".repeat(32)}.json`, peerPayload(100, 2, say("b")));
    peerFile(test, `pending-${"2".repeat(32)}.json`, peerPayload(100, 2, say("c")));
    peerFile(test, `pending-${"0".repeat(32)}.json`, peerPayload(200, 0, say("d")));
    test.die();
    await test.writer.replay();
    expect(test.texts("s1")).toEqual(["a", "b", "c", "d"]);
    expect(test.spooled()).toEqual([]);
  });

  it("GWS-05 carry messages in the peer's words: times of any kind, numbers for ids, flags as numbers, unknown keys", async () => {
    await using test = openWriter();
    const file = (n: number): string => `pending-${String(n).repeat(32)}.json`;
    peerFile(
      test,
      file(1),
      peerPayload(1_790_000_000, 1, { role: "user", content: "1", message_id: 77, observed: 1, extra: {} }),
    );
    peerFile(
      test,
      file(2),
      peerPayload(1_790_000_000, 2, {
        role: "user",
        content: "2",
        timestamp: "2026-09-21T10:00:00.250000+00:00",
        reasoning: "no",
      }),
    );
    peerFile(test, file(3), peerPayload(1_790_000_000, 3, { role: "user", content: "3", timestamp: "never" }));
    peerFile(
      test,
      file(4),
      `${JSON.stringify(peerPayload(1_790_000_000, 4, { role: "tool", content: "4", tool_call_id: 5, tool_name: "f" })).slice(0, -1)}, "nan": NaN}`,
    );
    // A platform that counts beyond what a number holds.
    const long = JSON.stringify(peerPayload(1_790_000_000, 5, { role: "user", content: "5", message_id: 0 }));
    peerFile(test, file(5), long.replace('"message_id":0', '"message_id": 1234567890123456789'));
    test.die();
    await test.writer.replay();
    expect([...test.store.messages.iterate("s1")]).toMatchObject([
      { content: "1", platformMessageId: "77", observed: true, timestampSeconds: 1_790_000_000 },
      { content: "2", timestampSeconds: Date.UTC(2026, 8, 21, 10) / 1000 + 0.25, reasoning: null },
      { content: "3", timestampSeconds: 1_790_000_000 },
      { content: "4", toolCallId: "5", toolName: "f" },
      { content: "5", platformMessageId: "1234567890123456789" },
    ]);
  });

  it("GWS-05 without a uid get the same one at every replay", async () => {
    await using test = openWriter();
    const payload = peerPayload(100, 1, { role: "user", content: "a" });
    for (const name of ["a", "b"]) {
      peerFile(test, `pending-${name.repeat(32)}.json`, payload);
      test.die();
      await test.writer.replay();
      await test.writer.close();
    }
    expect(test.texts("s1")).toEqual(["a"]);
  });

  it("GWS-05 that are cut short or hold no message are set aside and kept; others are left alone", async () => {
    await using test = openWriter();
    const name = (letter: string): string => `pending-${letter.repeat(32)}.json`;
    const snapshot = { session_key: "k", reason: "agent_history", ts: 1, data: { session_id: "s1", messages: [] } };
    peerFile(test, name("a"), JSON.stringify(peerPayload(1, 1, { role: "user", content: "x" })).slice(0, 60));
    peerFile(test, name("b"), "");
    peerFile(test, name("c"), "[1]");
    peerFile(test, name("d"), peerPayload(1, 1, { content: "no role" }));
    peerFile(test, name("e"), peerPayload(1, 1, null));
    peerFile(test, name("f"), snapshot);
    peerFile(test, `${name("0")}.bad`, "kept");
    peerFile(test, "notes.txt", "hello");
    peerFile(test, "pending-.json.swp", "hello");
    mkdirSync(join(test.folder, "pending-folder.json"));
    symlinkSync("/nowhere", join(test.folder, "pending-link.json"));
    test.die();
    await test.writer.replay();
    expect(test.names().filter((each) => !each.endsWith(".lock"))).toEqual(
      [
        ...["0", "a", "b", "c", "d", "e"].map((letter) => `${name(letter)}.bad`),
        name("f"),
        "notes.txt",
        "pending-.json.swp",
        "pending-folder.json",
        "pending-link.json",
      ].sort(),
    );
    expect(readFileSync(join(test.folder, `${name("0")}.bad`), "utf8")).toBe("kept");
    expect(test.warnings).toHaveLength(5);
    for (const warning of test.warnings) {
      expect(warning).toMatchObject({ level: "error", what: "set_aside", error: { code: "STATE_E_SPOOL_FILE_BAD" } });
    }
    expect(test.texts("s1")).toEqual([]);
  });

  it("GWS-05 whose values no store takes are set aside, and the messages around them are stored", async () => {
    await using test = openWriter();
    const name = (n: number): string => `pending-${String(n).repeat(32)}.json`;
    peerFile(test, name(1), peerPayload(1, 1, { role: "user", content: "a" }));
    peerFile(test, name(2), peerPayload(1, 2, { role: "user", content: "b", tool_name: { not: "text" } }));
    peerFile(test, name(3), peerPayload(1, 3, { role: "user", content: "c" }));
    test.die();
    await test.writer.replay();
    expect(test.texts("s1")).toEqual(["a", "c"]);
    const bad = test.names().filter((each) => each.endsWith(".bad"));
    expect(bad).toHaveLength(1);
    expect(readFileSync(join(test.folder, bad[0] ?? ""), "utf8")).toContain('"not"');
  });

  it("GWS-05 of a session that is gone are set aside; the name of a set-aside file is never taken twice", async () => {
    await using test = openWriter();
    const payload = peerPayload(
      1,
      1,
      { role: "user", content: "a" },
      { data: { session_id: "gone", message: { role: "user", content: "a" } } },
    );
    for (let n = 0; n < 2; n++) {
      peerFile(test, `pending-${"a".repeat(32)}.json`, payload);
      test.die();
      await test.writer.replay();
      await test.writer.close();
    }
    expect(test.names().filter((each) => each.endsWith(".bad"))).toHaveLength(2);
  });
});

describe("two writers of one folder", () => {
  it("GWS-05 a living writer keeps its files, one that ended leaves them to the next", async () => {
    await using test = openWriter();
    test.fault = busy;
    for (const text of ["a", "b", "c"]) await test.writer.append(S1, user(text));
    const second = another(test);
    expect(second.counters().claimed).toBe(0);
    expect(await second.replay()).toEqual({ sessions: 0, queued: 0, spooled: 0 });
    await test.writer.close();
    const third = another(test);
    await second.replay();
    expect([second.counters().claimed, third.counters().claimed]).toEqual([0, 3]);
    await third.replay();
    expect(test.texts("s1")).toEqual(["a", "b", "c"]);
    await second.close();
    await third.close();
    expect(test.names()).toEqual([]);
  });

  it("GWS-05 where nobody can tell who lives, each message is stored once and in order all the same", async () => {
    await using test = openWriter();
    test.fault = busy;
    for (const text of ["a", "b", "c"]) await test.writer.append(S1, user(text));
    for (const name of test.names().filter((each) => each.endsWith(".lock"))) rmSync(join(test.folder, name));
    const second = another(test);
    test.fault = () => undefined;
    const late = test.writer.append(S1, user("d"));
    await Promise.all([late, second.replay(), second.append(S1, user("e"))]);
    expect(test.texts("s1").sort()).toEqual(["a", "b", "c", "d", "e"]);
    expect(test.texts("s1").filter((text) => text < "d")).toEqual(["a", "b", "c"]);
    await second.close();
  });

  it("GWS-05 a draft of a dead writer is swept, one of a living writer is not", async () => {
    await using test = openWriter();
    test.fault = busy;
    for (const text of ["a", "b", "c"]) await test.writer.append(S1, user(text));
    const own = test.names().find((name) => name.endsWith(".json")) ?? "";
    const draft = own.replace(/0{8}.json$/, "0000ffff.json.tmp").replace(/1.json$/, "f.json.tmp");
    writeFileSync(join(test.folder, draft), "half");
    writeFileSync(join(test.folder, `pending-${"9".repeat(32)}.json.tmp`), "half");
    await another(test).close();
    expect(test.names().filter((name) => name.endsWith(".tmp"))).toEqual([draft]);
    test.fault = () => undefined;
    test.die();
    expect(test.names().filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("GWS-05 the same randomness in a later process takes no name twice", async () => {
    await using test = openWriter();
    const fixed = { next: () => 0.5, hex: (bytes: number) => "ab".repeat(bytes) };
    let n = 0;
    const counting = {
      next: () => 0.5,
      hex: (bytes: number) => (n++ % 3 === 0 ? fixed.hex(bytes) : systemRandom.hex(bytes)),
    };
    for (const text of ["a", "b"]) {
      const port = { ...sqliteStorage(test.store), append: busy };
      const writer = openTranscriptWriter(port, { spoolFolder: test.folder, clock: systemClock, random: counting });
      await writer.append(S1, user(text, { messageUid: text }));
      await writer.close();
    }
    expect(test.spooled()).toHaveLength(2);
  });
});

describe("a disk that takes nothing", () => {
  it("GWS-05 the message stays queued, its receipt says why, and it is stored later", async () => {
    await using test = openWriter();
    writeFileSync(test.folder, "no folder");
    test.fault = busy;
    const receipts = [];
    for (const text of ["a", "b", "c"]) receipts.push(await test.writer.append(S1, user(text)));
    expect(receipts).toMatchObject([
      { state: "queued", problem: { code: "STATE_E_BUSY" } },
      { state: "queued", problem: { code: "STATE_E_BUSY" } },
      { state: "queued", durable: false, problem: { code: "STATE_E_SPOOL_FAILED" } },
    ]);
    expect(test.warnings.at(-1)).toMatchObject({ level: "error", what: "spool_failed" });
    await expect(test.writer.close()).rejects.toMatchObject({ code: "STATE_E_SPOOL_FAILED" });
    expect(test.writer.backlog()).toEqual({ sessions: 1, queued: 3, spooled: 0 });
    rmSync(test.folder);
    await test.writer.append(S1, user("d"));
    expect(test.spooled()).toHaveLength(4);
    test.fault = () => undefined;
    await test.writer.flush();
    expect(test.texts("s1")).toEqual(["a", "b", "c", "d"]);
  });

  it("GWS-05 a full queue then refuses the message rather than drop one", async () => {
    await using test = openWriter();
    writeFileSync(test.folder, "no folder");
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    test.fault = () => held;
    const appends = Array.from({ length: 200 }, (_, n) => test.writer.append(S1, user(`m${n}`)));
    await expect(test.writer.append(S1, user("too many"))).rejects.toMatchObject({ code: "STATE_E_SPOOL_FAILED" });
    release();
    await Promise.all(appends);
    expect(test.texts("s1")).toEqual(Array.from({ length: 200 }, (_, n) => `m${n}`));
    rmSync(test.folder);
  });

  it("GWS-05 a spool that cannot be read is told at the start: there may be messages in it", async () => {
    await using test = openWriter();
    writeFileSync(test.folder, "no folder");
    expect(() => another(test)).toThrow(expect.objectContaining({ code: "STATE_E_SPOOL_FAILED" }));
    rmSync(test.folder);
    expect(readdirSync(join(test.folder, ".."))).not.toContain("pending_messages");
  });
});
