import { readFileSync, writeFileSync } from "node:fs";
import { RUNTIME_COLUMNS } from "@hermes/state-portability";
import { describePython, hashRows, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { fillRichStore, sha256 } from "./rich-store.js";
import { exported, imported, open, records } from "./support.js";

describe("this stack's own JSONL", () => {
  it("P20 POR-01 comes back byte by byte after export, import and export, apart from runtime fields", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    fillRichStore(source);
    const first = await exported(source, { format: "jsonl" });
    using target = open(home.file("b.db"));
    const report = await imported(target, first.text);
    const second = await exported(target, { format: "jsonl" });

    expect(report).toMatchObject({
      format: "jsonl",
      found: 4,
      imported: 4,
      skipped: 0,
      failed: 0,
      messages: 13,
      detached: 0,
    });
    const left = first.text.split("\n");
    const right = second.text.split("\n");
    const differing = left.flatMap((line, index) => (line === right[index] ? [] : [index]));
    // The empty session claims a chat, which an import must not do; so its line differs, and with it the digest.
    expect(differing).toHaveLength(2);
    const [from, to] = differing.map((index) => [left[index], right[index]])[0] as [string, string];
    const before = (JSON.parse(from) as { row: Record<string, unknown> }).row;
    const after = (JSON.parse(to) as { row: Record<string, unknown> }).row;
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (key) => before[key] !== after[key],
    );
    expect(changed.sort()).toEqual(["chat_id", "session_key"]);
    expect(changed.every((name) => RUNTIME_COLUMNS.has(name))).toBe(true);
  });

  it("POR-01 gives the same bytes again where no runtime field is set", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    fillRichStore(source);
    const first = await exported(source, { format: "jsonl", sessionIds: ["rich", "child", "a-branch"] });
    using target = open(home.file("b.db"));
    await imported(target, first.text);
    expect((await exported(target, { format: "jsonl", sessionIds: ["rich", "child", "a-branch"] })).text).toBe(
      first.text,
    );
  });

  it("POR-01 counts and hashes what it wrote", async () => {
    using home = tempHome();
    using source = open(home.statePath);
    fillRichStore(source);
    const { text, report } = await exported(source, { format: "jsonl" });
    const lines = text.split("\n");
    const footer = JSON.parse(lines.at(-2) ?? "") as unknown;
    expect(lines.at(-1)).toBe("");
    expect(footer).toEqual({
      type: "footer",
      counts: { session: 4, message: 13, usage: 2, daily_usage: 0 },
      sha256: sha256(text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)),
    });
    expect(report).toMatchObject({ sessions: 4, messages: 13, leftOut: {}, losses: [], sha256: sha256(text) });
  });

  it("POR-01 keeps message ids in an empty store and gives new ones elsewhere", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    fillRichStore(source);
    const { text } = await exported(source, { format: "jsonl" });
    using target = open(home.file("b.db"));
    target.sessions.create({ id: "mine", source: "cli" });
    const mine = target.messages.append("mine", { role: "user", content: "mine" });
    await imported(target, text);
    expect(target.messages.get(mine.id).content).toBe("mine");
    const ids = target.messages.page("rich", { include: "all" }).messages.map(({ id }) => id);
    expect(ids[0]).toBeGreaterThan(mine.id);
    expect([...ids].sort((a, b) => a - b)).toEqual(ids);
  });

  it("POR-01 preserves columns that it does not know, and adds them as they were declared", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    source.write("a newer writer's column", (w) => {
      w.exec("ALTER TABLE messages ADD COLUMN mood TEXT");
      w.exec("ALTER TABLE sessions ADD COLUMN stars INTEGER NOT NULL DEFAULT 3");
    });
    source.sessions.create({ id: "s", source: "cli" });
    source.messages.append("s", { role: "user", content: "hi" });
    source.write("fill it", (w) => w.run("UPDATE messages SET mood = 'glad 高兴'"));
    const { text } = await exported(source, { format: "jsonl" });
    using target = open(home.file("b.db"));
    const report = await imported(target, text);
    expect(report.addedColumns).toEqual(["sessions.stars", "messages.mood"]);
    expect((await exported(target, { format: "jsonl" })).text).toBe(text);
    expect(target.read((r) => r.get("SELECT stars FROM sessions"))).toEqual({ stars: 3 });
    target.sessions.create({ id: "later", source: "cli" });
    expect(target.read((r) => r.get("SELECT stars FROM sessions WHERE id = 'later'"))).toEqual({ stars: 3 });
  });

  it("POR-01 refuses to add a column whose declaration is more than one", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    source.write("a newer writer's column", (w) => w.exec("ALTER TABLE messages ADD COLUMN mood TEXT"));
    const { text } = await exported(source, { format: "jsonl" });
    using target = open(home.file("b.db"));
    const hostile = text.replace('"mood":"TEXT"', '"mood":"TEXT DEFAULT (abs(-9223372036854775808))"');
    expect(hostile).not.toBe(text);
    await expect(imported(target, hostile, { keepGoing: true })).rejects.toMatchObject({
      code: "STATE_E_IMPORT_COLUMN",
    });
    expect(target.read((r) => r.all("SELECT name FROM pragma_table_info('messages') WHERE name = 'mood'"))).toEqual([]);
  });

  it("POR-01 carries integers beyond 2^53, infinities, blobs and text that is no UTF-8", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    source.sessions.create({ id: "s", source: "cli" });
    source.messages.append("s", { role: "user", content: "hi" });
    source.write("odd values", (w) => {
      w.run("UPDATE messages SET token_count = 9007199254740993, timestamp = 9e999, content = CAST(x'61ed80' AS TEXT)");
      w.run("UPDATE messages SET finish_reason = x'00ff'");
    });
    const { text } = await exported(source, { format: "jsonl" });
    expect(records(text)[1]?.row).toMatchObject({
      token_count: { $int: "9007199254740993" },
      timestamp: { $real: "Infinity" },
      content: { $text: "Ye2A" },
      finish_reason: { $blob: "AP8=" },
    });
    using target = open(home.file("b.db"));
    await imported(target, text);
    expect((await exported(target, { format: "jsonl" })).text).toBe(text);
    const cells = "SELECT CAST(token_count AS TEXT) AS n, hex(content) AS c, hex(finish_reason) AS f FROM messages";
    expect(target.read((r) => r.get(cells))).toEqual({ n: "9007199254740993", c: "61ED80", f: "00FF" });
  });

  it("P28 POR-01 exports and imports cells that hold no value of their type", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    for (const id of ["a", "b", "c"]) source.sessions.create({ id, source: "cli" });
    source.messages.append("c", { role: "user", content: "hi" });
    source.write("spoil for a test", (w) => {
      w.run("UPDATE sessions SET started_at = 'not-a-timestamp' WHERE id = 'a'");
      w.run("UPDATE sessions SET started_at = 5.49e246 WHERE id = 'b'");
      w.run("UPDATE messages SET timestamp = 'x'");
    });
    const { text } = await exported(source, { format: "jsonl" });
    using target = open(home.file("b.db"));
    await imported(target, text);
    expect((await exported(target, { format: "jsonl" })).text).toBe(text);
    expect((await exported(source, { format: "peer-jsonl" })).report.sessions).toBe(3);
    expect((await exported(source, { format: "md" })).text).toContain("time unknown");
  });

  it("POR-02 refuses a file whose last line is cut, names the line, and imports the rest when asked", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    fillRichStore(source);
    const { text } = await exported(source, { format: "jsonl" });
    const lines = text.split("\n");
    // The file ends in the middle of the last record of the last session, before the footer.
    const cut = `${lines.slice(0, -3).join("\n")}\n${lines.at(-3)?.slice(0, 20) ?? ""}`;
    const line = lines.length - 2;
    using target = open(home.file("b.db"));
    await expect(imported(target, cut)).rejects.toMatchObject({
      code: "STATE_E_IMPORT_INVALID",
      facts: { line, problemCount: 1, problems: [{ line, sessionId: "rich", code: "STATE_E_IMPORT_TRUNCATED" }] },
    });
    expect(target.sessions.count({ includeChildren: true, archived: "include", hidden: "include" })).toBe(0);
    const report = await imported(target, cut, { keepGoing: true });
    expect(report).toMatchObject({ imported: 3, failed: 1 });
    expect(target.sessions.find("rich")).toBeUndefined();
  });

  it("POR-02 refuses a file that lost whole lines at its end", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    fillRichStore(source);
    const lines = (await exported(source, { format: "jsonl" })).text.split("\n");
    using target = open(home.file("b.db"));
    const cut = `${lines.slice(0, -3).join("\n")}\n`;
    await expect(imported(target, cut)).rejects.toMatchObject({ facts: { problemCount: 2 } });
    expect((await imported(target, cut, { keepGoing: true })).imported).toBe(3);
  });

  it("POR-02 finds a changed byte by the digest, and a changed count by the footer", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    source.sessions.create({ id: "s", source: "cli" });
    source.messages.append("s", { role: "user", content: "hello there" });
    const { text } = await exported(source, { format: "jsonl" });
    using target = open(home.file("b.db"));
    const problem = { code: "STATE_E_IMPORT_INVALID", facts: { problems: [{ code: "STATE_E_IMPORT_CHECKSUM" }] } };
    await expect(imported(target, text.replace("hello there", "hello Theo!"))).rejects.toMatchObject(problem);
    await expect(imported(target, text.replace('{"session":1,', '{"session":2,'))).rejects.toMatchObject(problem);
    expect(target.sessions.count()).toBe(0);
  });

  it("POR-02 imports nothing of a session with one bad record, and names the record", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    for (const id of ["a", "b"]) {
      source.sessions.create({ id, source: "cli" });
      source.messages.appendBatch(id, [
        { role: "user", content: `one of ${id}` },
        { role: "user", content: `two of ${id}` },
      ]);
    }
    const lines = (await exported(source, { format: "jsonl" })).text.split("\n");
    lines[2] = (lines[2] ?? "").replace('"role":"user"', '"role":{"$blob":5}');
    using target = open(home.file("b.db"));
    const report = await imported(target, lines.join("\n"), { keepGoing: true });
    expect(report.problems.map(({ line, sessionId, code }) => [line, sessionId, code])).toEqual([
      [3, "a", "STATE_E_IMPORT_SHAPE"],
      [8, undefined, "STATE_E_IMPORT_CHECKSUM"],
    ]);
    expect([target.sessions.find("a"), target.sessions.find("b")?.messageCount]).toEqual([undefined, 2]);
  });

  it.each([
    ["a record before the header", (lines: string[]) => lines.slice(1), "STATE_E_IMPORT_FORMAT"],
    [
      "a newer format version",
      (lines: string[]) => [(lines[0] ?? "").replace('"version":1', '"version":2'), ...lines.slice(1)],
      "STATE_E_IMPORT_FORMAT",
    ],
    ["an unknown record", (lines: string[]) => lines.toSpliced(1, 0, '{"type":"wish"}'), "STATE_E_IMPORT_INVALID"],
    [
      "a message without its session",
      (lines: string[]) => lines.toSpliced(1, 0, '{"type":"message","session":"x","row":{}}'),
      "STATE_E_IMPORT_INVALID",
    ],
    [
      "a session twice",
      (lines: string[]) => lines.toSpliced(1, 0, lines[1] ?? "", lines[2] ?? ""),
      "STATE_E_IMPORT_INVALID",
    ],
    ["a line that is no JSON", (lines: string[]) => lines.toSpliced(1, 0, '{"type":'), "STATE_E_IMPORT_INVALID"],
  ])("POR-02 refuses %s and imports nothing", async (_what, change, code) => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    source.sessions.create({ id: "s", source: "cli" });
    source.messages.append("s", { role: "user", content: "hi" });
    const { text } = await exported(source, { format: "jsonl" });
    using target = open(home.file("b.db"));
    await expect(imported(target, change(text.split("\n")).join("\n"), { from: "jsonl" })).rejects.toMatchObject({
      code,
    });
    expect(target.sessions.count()).toBe(0);
  });

  it("POR-02 skips sessions that are there, so a second import changes nothing", async () => {
    using home = tempHome();
    using source = open(home.file("a.db"));
    fillRichStore(source);
    const { text } = await exported(source, { format: "jsonl" });
    const report = await imported(source, text);
    expect(report).toMatchObject({ imported: 0, skipped: 4, messages: 0 });
    expect((await exported(source, { format: "jsonl" })).text).toBe(text);
  });

  it("GND-03 refuses to read the store's own file, before it is opened", async () => {
    using home = tempHome();
    using store = open(home.statePath);
    const { importInto } = await import("@hermes/state-portability");
    for (const suffix of ["", "-wal"]) {
      await expect(importInto(store, home.statePath + suffix)).rejects.toMatchObject({ code: "STATE_E_IMPORT_SOURCE" });
    }
  });

  describePython("read by Python", () => {
    it("P20 GND-02 shows Python the same rows in the imported store", async () => {
      using home = tempHome();
      const [from, to] = [home.file("a.db"), home.file("b.db")];
      {
        using source = open(from);
        fillRichStore(source);
        source.sessions.reopen("empty");
        source.write("no runtime fields", (w) => w.run("UPDATE sessions SET session_key = NULL, chat_id = NULL"));
        writeFileSync(home.file("x.jsonl"), (await exported(source, { format: "jsonl" })).text);
        using target = open(to);
        await imported(target, readFileSync(home.file("x.jsonl"), "utf8"));
      }
      const exclude = ["state_meta", "conversation_generations", "messages.display_identity", "messages.display_order"];
      const before = hashRows(from, { exclude });
      const after = hashRows(to, { exclude, shape: before.shape });
      expect(after.counts).toEqual(before.counts);
      expect(after.hashes).toEqual(before.hashes);
    });
  });
});
