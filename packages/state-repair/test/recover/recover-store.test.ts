import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { openStateStore } from "@hermes/state-core";
import { damage, fileHash, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { recoverStore } from "../../src/index.js";
import { makeSampleStore, readRows } from "./sample-store.js";

let folder: TempDir;
let source: string;
let output: string;
beforeEach(() => {
  folder = tempDir("recover");
  source = folder.file("state.db");
  output = folder.file("recovered.db");
});
afterEach(() => {
  folder[Symbol.dispose]();
});

function rootOf(path: string, table: string): number {
  const database = new Database(path);
  try {
    return (database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table) as { rootpage: number })
      .rootpage;
  } finally {
    database.close();
  }
}

function change(path: string, ...statements: string[]): void {
  const database = new Database(path);
  database.pragma("foreign_keys=OFF");
  for (const sql of statements) database.exec(sql);
  database.close();
}

it("REP-09 copies a sound store row by row: counts of the report are counts of the output", async () => {
  makeSampleStore(source, { sessions: 8, messages: 20 });
  const before = fileHash(source);
  const messages = readRows(source, "messages", "id");
  const sessions = readRows(source, "sessions", "id");
  const report = await recoverStore({ source, output });
  expect(report).toMatchObject({ status: "complete", verified: true, recoverable: true, installed: false, errors: [] });
  expect(report.counts).toMatchObject({ sessions: 8, messages: 160, session_model_usage: 8, system_prompts: 1 });
  expect(readRows(output, "messages", "id")).toEqual(messages);
  expect(readRows(output, "sessions", "id")).toEqual(sessions);
  expect(report.tables["messages"]).toMatchObject({ status: "complete", copiedRows: 160, skippedRowidRanges: [] });
  expect(fileHash(source)).toBe(before);
  expect(JSON.parse(readFileSync(`${output}.recovery.json`, "utf8"))).toMatchObject({ status: "complete" });
  expect(readdirSync(folder.path).sort()).toEqual(["recovered.db", "recovered.db.recovery.json", "state.db"]);
  expect(statSync(output).mode & 0o777).toBe(0o600);
});

it("REP-09 leaves keys of the file's own index behind and keeps all others", async () => {
  makeSampleStore(source, { sessions: 1, messages: 2 });
  change(source, "INSERT INTO state_meta VALUES ('fts_rebuild_progress', '1'), ('fts_optimize_available', '1')");
  const generation = readRows(source, "state_meta", "key").get("db_file_generation");
  await recoverStore({ source, output });
  const meta = readRows(output, "state_meta", "key");
  expect(meta.get("goal:x")).toEqual({ key: "goal:x", value: "kept" });
  expect(meta.has("fts_rebuild_progress")).toBe(false);
  expect(meta.has("fts_optimize_available")).toBe(false);
  expect(meta.get("fts_storage_version")).toBeDefined();
  if (generation !== undefined) expect(meta.get("db_file_generation")).not.toEqual(generation);
});

it("REP-09 gives a store that searches and goes on: indexes, triggers and the next id are there", async () => {
  makeSampleStore(source, { sessions: 2, messages: 5 });
  await recoverStore({ source, output });
  using store = openStateStore({ path: output });
  const receipt = store.messages.append("20260101_000000_0000", { role: "user", content: "afterwards" });
  expect(receipt.id).toBe(11);
  const database = new Database(output);
  const found = database
    .prepare("SELECT COUNT(*) AS n FROM messages_fts WHERE messages_fts MATCH '\"afterwards\" OR session'")
    .get();
  const triggers = database.prepare("SELECT COUNT(*) AS n FROM sqlite_schema WHERE type = 'trigger'").get() as {
    n: number;
  };
  const title = database
    .prepare("SELECT COUNT(*) AS n FROM sqlite_schema WHERE name = 'idx_sessions_title_unique'")
    .get();
  database.close();
  expect(found).toEqual({ n: 11 });
  expect(triggers.n).toBeGreaterThanOrEqual(10);
  expect(title).toEqual({ n: 1 });
});

it("P03 REP-09 keeps all 500 messages under their ids when the sessions cannot be read", async () => {
  makeSampleStore(source, { sessions: 25, messages: 20 });
  const messages = readRows(source, "messages", "id");
  damage.zero(source, (rootOf(source, "sessions") - 1) * 4096, 4096);
  const before = fileHash(source);
  const report = await recoverStore({ source, output, allowPartial: true });
  expect(report).toMatchObject({ status: "partial", verified: true });
  expect(readRows(output, "messages", "id")).toEqual(messages);
  expect(fileHash(source)).toBe(before);
  expect(report.counts).toMatchObject({ messages: 500, sessions: 25 });
});

it("REP-09 makes tables that stores get on request only, also when no schema tells of them", async () => {
  makeSampleStore(source, { sessions: 3, messages: 4 });
  {
    using store = openStateStore({ path: source });
    store.topics.enable("c1", "u1");
  }
  const modes = readRows(source, "telegram_dm_topic_mode", "chat_id");
  damage.zero(source, 100, 3996);
  const report = await recoverStore({ source, output, allowPartial: true });
  expect(report).toMatchObject({ verified: true, counts: { messages: 12, sessions: 3 } });
  expect(readRows(output, "telegram_dm_topic_mode", "chat_id")).toEqual(modes);
});

it("P03 REP-09 makes placeholder sessions with unique titles for messages without any", async () => {
  makeSampleStore(source, { sessions: 25, messages: 20 });
  change(
    source,
    "DELETE FROM sessions WHERE id >= '20260101_000000_0003'",
    "UPDATE sessions SET title = '[recovered 2] session metadata was unreadable' WHERE id LIKE '%0000'",
    "UPDATE sessions SET parent_session_id = '20260101_000000_0009' WHERE id LIKE '%0001'",
    "UPDATE sessions SET model_config = '{broken' WHERE id LIKE '%0002'",
  );
  const messages = readRows(source, "messages", "id");
  const report = await recoverStore({ source, output, allowPartial: true });
  expect(readRows(output, "messages", "id")).toEqual(messages);
  const sessions = [...readRows(output, "sessions", "id").values()];
  expect(sessions).toHaveLength(25);
  expect(new Set(sessions.map(({ title }) => title)).size).toBe(25);
  const [made] = sessions.filter(({ id }) => id === "20260101_000000_0003");
  const first = [...messages.values()].find(({ session_id }) => session_id === "20260101_000000_0003");
  expect(made).toMatchObject({ source: "recovered", message_count: 20, started_at: first?.["timestamp"] });
  expect(made?.["title"]).toBe("[recovered 1] session metadata was unreadable");
  expect(report.mends).toMatchObject({ placeholderSessions: 22, placeholderMessages: 440, replacedModelConfigs: 1 });
  expect(report.mends.clearedParents).toBe(0);
  expect(report.mends.removedOrphans).toBe(0);
});

it("REP-09 clears references to what is gone", async () => {
  makeSampleStore(source, { sessions: 3, messages: 2 });
  change(
    source,
    "UPDATE sessions SET parent_session_id = 'gone' WHERE id LIKE '%0001'",
    "DELETE FROM system_prompts",
    "INSERT INTO compression_locks VALUES ('gone', 'pid=1', 1, 2)",
  );
  const report = await recoverStore({ source, output, allowPartial: true });
  expect(report.mends).toMatchObject({ clearedParents: 1, clearedPrompts: 3, removedOrphans: 1 });
  expect(report.verified).toBe(true);
});

it("REP-09 refuses to leave anything out unless that is allowed, and writes nothing then", async () => {
  makeSampleStore(source, { sessions: 4, messages: 30 });
  damage.zero(source, (rootOf(source, "sessions") - 1) * 4096, 4096);
  const report = await recoverStore({ source, output });
  expect(report).toMatchObject({ status: "failed", recoverable: false, verified: false });
  expect(readdirSync(folder.path)).toEqual(["state.db"]);
});

it("REP-09 inspects without writing", async () => {
  makeSampleStore(source, { sessions: 2, messages: 3 });
  const report = await recoverStore({ source, inspectOnly: true });
  expect(report).toMatchObject({ operation: "inspect", recoverable: true, status: "complete", schemaVersion: 30 });
  expect(report.inspected["messages"]).toEqual({ available: true, columns: 30, rows: 6, sound: true });
  expect(readdirSync(folder.path)).toEqual(["state.db"]);
});

it("REP-09 overwrites nothing: not the source, not a name that is taken, not a report", async () => {
  makeSampleStore(source, { sessions: 1, messages: 1 });
  const refused = async (options: { output: string; reportPath?: string }): Promise<unknown> => {
    const error: unknown = await recoverStore({ source, ...options }).catch((caught: unknown) => caught);
    return (error as { code?: unknown }).code;
  };
  symlinkSync(source, folder.file("alias.db"));
  symlinkSync(folder.file("nowhere"), `${output}-wal`);
  writeFileSync(folder.file("report.json"), "mine");
  expect(await refused({ output: source })).toBe("STATE_E_OUTPUT_IS_SOURCE");
  expect(await refused({ output: `${source}-wal` })).toBe("STATE_E_OUTPUT_IS_SOURCE");
  expect(await refused({ output: folder.file("alias.db") })).toBe("STATE_E_OUTPUT_IS_SOURCE");
  expect(await refused({ output })).toBe("STATE_E_OUTPUT_EXISTS");
  const other = folder.file("other.db");
  expect(await refused({ output: other, reportPath: folder.file("report.json") })).toBe("STATE_E_REPORT_EXISTS");
  expect(readFileSync(folder.file("report.json"), "utf8")).toBe("mine");
  expect(existsSync(other)).toBe(false);
});

it("REP-09 refuses options that cannot be meant", async () => {
  await expect(recoverStore({ source })).rejects.toThrow(TypeError);
  await expect(recoverStore({ source, output, inspectOnly: true })).rejects.toThrow(TypeError);
  await expect(recoverStore({ source, output, chunkSize: 0 })).rejects.toThrow(RangeError);
  await expect(recoverStore({ source, output, alowPartial: true } as never)).rejects.toThrow(TypeError);
  await expect(recoverStore({ source, output })).rejects.toMatchObject({ code: "STATE_E_STORE_MISSING" });
});

it("REP-09 asks for room before it writes, and takes a volume that does not answer for full", async () => {
  makeSampleStore(source, { sessions: 1, messages: 1 });
  const space = () => ({ freeBytes: 1000, totalBytes: 10_000 });
  await expect(recoverStore({ source, output, space })).rejects.toMatchObject({ code: "STATE_E_DISK_FULL" });
  const mute = (): never => {
    throw new Error("no answer");
  };
  await expect(recoverStore({ source, output, space: mute })).rejects.toMatchObject({ code: "STATE_E_DISK_FULL" });
  expect(readdirSync(folder.path)).toEqual(["state.db"]);
});

it("COR-07 REP-09 refuses a source that this process has open", async () => {
  makeSampleStore(source, { sessions: 1, messages: 1 });
  using store = openStateStore({ path: source });
  expect(store.sessions.count()).toBe(1);
  await expect(recoverStore({ source, output })).rejects.toMatchObject({ code: "STATE_E_LIVE_CONNECTION" });
  expect(existsSync(output)).toBe(false);
});

it("REP-09 carries over what this version does not know: tables and columns of others", async () => {
  makeSampleStore(source, { sessions: 1, messages: 1 });
  change(
    source,
    "ALTER TABLE messages ADD COLUMN mood TEXT",
    "UPDATE messages SET mood = 'calm'",
    "CREATE TABLE delivery_obligations (id TEXT PRIMARY KEY, due REAL)",
    "INSERT INTO delivery_obligations VALUES ('a', 1.5)",
  );
  const report = await recoverStore({ source, output });
  expect(report.status).toBe("complete");
  expect([...readRows(output, "messages", "id").values()]).toEqual([expect.objectContaining({ mood: "calm" })]);
  expect(readRows(output, "delivery_obligations", "id").get("a")).toEqual({ id: "a", due: 1.5 });
  expect(report.counts["delivery_obligations"]).toBe(1);
});

it("REP-09 stops when it is aborted, and leaves nothing behind", async () => {
  makeSampleStore(source, { sessions: 5, messages: 20 });
  const controller = new AbortController();
  const phases = new Set<string>();
  const run = recoverStore({
    source,
    output,
    chunkSize: 10,
    signal: controller.signal,
    onProgress: ({ phase }) => {
      phases.add(phase);
      if (phase === "messages") controller.abort(new Error("enough"));
    },
  });
  await expect(run).rejects.toThrow("enough");
  expect(phases.has("copy")).toBe(true);
  expect(readdirSync(folder.path)).toEqual(["state.db"]);
});
