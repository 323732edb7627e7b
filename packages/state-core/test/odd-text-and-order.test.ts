import { describePython, fileBytes, openPeerDatabase, startPythonPeer, tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { openStateStore } from "../src/index.js";

const LONE = "bad \ud83d end";
const REPLACED = "bad \ufffd end";

describe("odd text", () => {
  it("P12 COR-14 stores lone surrogates everywhere as U+FFFD, and loses nothing after them", () => {
    using dir = tempDir("odd");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "test", model: LONE, systemPrompt: LONE, cwd: LONE });
      store.titles.set("s1", LONE);
      store.messages.append("s1", { role: "user", content: "ok" });
      store.messages.append("s1", {
        role: "assistant",
        content: LONE,
        reasoning: LONE,
        reasoningContent: LONE,
        toolCalls: [{ id: "c1", function: { name: LONE, arguments: JSON.stringify({ text: LONE }) } }],
        apiContent: LONE,
      });
      const parts = [{ type: "text", text: LONE }];
      store.messages.append("s1", { role: "tool", content: parts, toolName: LONE, toolCallId: LONE });
      store.messages.append("s1", { role: "user", content: "after" });
      store.meta.set("odd", LONE);
    }
    using store = openStateStore({ path });
    const rows = store.messages.page("s1").messages;
    expect(rows.map((row) => row.content)).toEqual(["ok", REPLACED, [{ type: "text", text: REPLACED }], "after"]);
    expect(rows[1]).toMatchObject({ reasoning: REPLACED, reasoningContent: REPLACED, apiContent: REPLACED });
    expect(JSON.stringify(rows[1]?.toolCalls)).toContain("\ufffd");
    expect(rows[2]).toMatchObject({ toolName: REPLACED, toolCallId: REPLACED });
    const named = { model: REPLACED, systemPrompt: REPLACED, cwd: REPLACED, title: REPLACED };
    expect(store.sessions.get("s1")).toMatchObject(named);
    expect(store.meta.get("odd")).toBe(REPLACED);
    expect(JSON.stringify(store.messages.conversation("s1")).isWellFormed()).toBe(true);
    const found = store.read((r) => r.all("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'after'"));
    expect(found).toHaveLength(1);
  });

  it.each([
    ["NUL inside", "a\0b"],
    ["NUL first", "\0a"],
    ["NUL alone", "\0"],
    ["empty", ""],
    ["astral", "\u{1f9d1}\u200d\u{1f680} \u{20bb7}"],
    ["combining", "e\u0301 \u00e9"],
    ["bidi and zero width", "\u202eabc\u202c\u200b"],
    ["line ends", "a\r\nb\rc\n\u2028"],
    ["looks structured", "json:[1]"],
    ["long", "大别山".repeat(100_000)],
  ])("COR-14 gives text back as it came: %s", (_, text) => {
    using dir = tempDir("odd");
    using store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "test" });
    const { id } = store.messages.append("s1", { role: "user", content: text });
    expect(store.messages.get(id).content).toBe(text);
  });

  it.each([[[]], [{}], [[{ type: "text", text: "x" }]], [{ deep: { nested: [1, null, true, "大"] } }], [[[]]]])(
    "COR-14 gives structured content back as it came: %j",
    (content) => {
      using dir = tempDir("odd");
      using store = openStateStore({ path: dir.file("state.db") });
      store.sessions.create({ id: "s1", source: "test" });
      const { id } = store.messages.append("s1", { role: "user", content });
      expect(store.messages.get(id).content).toEqual(content);
    },
  );

  it("COR-14 keeps ids exact up to 2^53", () => {
    using dir = tempDir("odd");
    using store = openStateStore({ path: dir.file("state.db") });
    store.sessions.create({ id: "s1", source: "test" });
    const large = Number.MAX_SAFE_INTEGER - 2;
    store.write("jump", (w) => {
      const sql = "INSERT INTO messages (id, session_id, role, timestamp, active) VALUES (?, 's1', 'user', 1, 1)";
      w.run(sql, [large]);
    });
    const { id } = store.messages.append("s1", { role: "user", content: "next" });
    expect(id).toBe(large + 1);
    expect(store.messages.get(id).content).toBe("next");
    expect(store.messages.page("s1").messages.map((row) => row.id)).toEqual([large, large + 1]);
  });
});

describePython("odd text for other readers", () => {
  it("P12 COR-14 leaves valid UTF-8 in the file: Python reads every cell", async () => {
    using dir = tempDir("odd");
    const path = dir.file("state.db");
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "test", model: LONE });
      store.messages.append("s1", { role: "user", content: LONE, reasoning: "\udc00", toolCalls: [{ x: LONE }] });
    }
    await using peer = await startPythonPeer();
    const db = await openPeerDatabase(peer, path);
    const [row] = await db.sql("SELECT * FROM messages JOIN sessions ON sessions.id = session_id");
    expect(row).toMatchObject({ content: REPLACED, reasoning: "\ufffd", model: REPLACED });
    expect(fileBytes(path, 0, 16)).toBe("53514c69746520666f726d6174203300");
  });
});

describe("order", () => {
  it("P13 COR-22 is insertion order everywhere, and timestamps stay as given", () => {
    using dir = tempDir("order");
    const path = dir.file("state.db");
    const stamps = [100, 99, 101, 101, 101, 101, 101, 101, 0.25, 4e9];
    let ids: number[];
    {
      using store = openStateStore({ path });
      store.sessions.create({ id: "s1", source: "test" });
      ids = stamps.map(
        (timestampSeconds, index) =>
          store.messages.append("s1", {
            role: index === 1 ? "tool" : "assistant",
            content: `m${String(index)}`,
            timestampSeconds,
            ...(index === 0 && { toolCalls: [{ id: "c1" }] }),
            ...(index === 1 && { toolCallId: "c1" }),
          }).id,
      );
    }
    using store = openStateStore({ path });
    const rows = store.messages.conversation("s1", { includeRowIds: true }).messages;
    expect(rows.map((row) => row.id)).toEqual(ids);
    expect(rows.map((row) => row.timestampSeconds)).toEqual(stamps);
    const paged: number[] = [];
    let cursor: string | undefined;
    do {
      const page = store.messages.page("s1", { limit: 3, ...(cursor !== undefined && { cursor }) });
      paged.push(...page.messages.map((row) => row.id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(ids);
  });
});
