import { damage, tempDir } from "@hermes/testkit";
import type { TempDir } from "@hermes/testkit";
import { openMaintenanceConnection } from "@hermes/state-core";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { recoverStore } from "../../src/index.js";
import { makeSampleStore, readRows } from "./sample-store.js";

const PAGE = 4096;

let folder: TempDir;
let source: string;
let output: string;
beforeEach(() => {
  folder = tempDir("schema");
  source = folder.file("state.db");
  output = folder.file("out.db");
  makeSampleStore(source, { sessions: 6, messages: 20 });
});
afterEach(() => {
  folder[Symbol.dispose]();
});

/** Edits the schema table as no program should. */
function editSchema(sql: string): void {
  const connection = openMaintenanceConnection(source, { unsafe: true });
  try {
    connection.editSchema(sql);
  } finally {
    connection.close();
  }
}

function rootOf(table: string): number {
  const database = new Database(source);
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table) as number;
  database.close();
  return root;
}

const SCHEMA_DAMAGE: Readonly<Record<string, () => void>> = {
  "a table that is there twice": () => {
    editSchema(
      "INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'sessions'",
    );
  },
  "an index of garbage": () => {
    editSchema("UPDATE sqlite_master SET sql = 'CREATE INDEX garbage(' WHERE name = 'idx_messages_session'");
  },
  "a trigger of garbage": () => {
    editSchema("UPDATE sqlite_master SET sql = 'CREATE TRIGGER garbage(' WHERE name = 'messages_fts_insert'");
  },
  "a sessions table of garbage": () => {
    editSchema("UPDATE sqlite_master SET sql = 'CREATE TABLE garbage(' WHERE name = 'sessions'");
  },
  "a messages table of garbage": () => {
    editSchema("UPDATE sqlite_master SET sql = 'CREATE TABLE garbage(' WHERE name = 'messages'");
  },
  "a misspelt column": () => {
    editSchema("UPDATE sqlite_master SET sql = replace(sql, 'content TEXT', 'contest TEXT') WHERE name = 'messages'");
  },
  "a row without a name": () => {
    editSchema("INSERT INTO sqlite_master VALUES ('table', '', '', 0, 'junk')");
  },
  "sessions that point at messages": () => {
    editSchema(`UPDATE sqlite_master SET rootpage = ${rootOf("messages")} WHERE name = 'sessions'`);
  },
  "messages that point at an index": () => {
    editSchema(`UPDATE sqlite_master SET rootpage = ${rootOf("idx_messages_session")} WHERE name = 'messages'`);
  },
  "a first page without its schema": () => {
    damage.zero(source, 100, PAGE - 100);
  },
  "a first page of nothing": () => {
    damage.zero(source, 0, PAGE);
  },
};

it.each(Object.entries(SCHEMA_DAMAGE))("REP-09 recovers every row in spite of %s", async (_, hurt) => {
  const [messages, sessions] = [readRows(source, "messages", "id"), readRows(source, "sessions", "id")];
  hurt();
  const strict = await recoverStore({ source, output });
  if (strict.status === "failed") {
    const report = await recoverStore({ source, output, allowPartial: true });
    expect(report).toMatchObject({ status: "partial", verified: true, bestEffort: true });
    expect(report.counts).toMatchObject({ messages: 120, sessions: 6, session_model_usage: 6, system_prompts: 1 });
  }
  expect(readRows(output, "messages", "id")).toEqual(messages);
  const names = ["id", "source", "title", "started_at", "model", "system_prompt_hash", "message_count"];
  const kept = (rows: ReadonlyMap<unknown, Record<string, unknown>>): unknown[] =>
    [...rows.values()].map((row) => names.map((name) => row[name]));
  expect(kept(readRows(output, "sessions", "id"))).toEqual(kept(sessions));
});

it("REP-09 names placeholders of a salvage as best effort", async () => {
  const database = new Database(source);
  database.pragma("foreign_keys=OFF");
  database.exec("DELETE FROM sessions");
  database.close();
  damage.zero(source, 0, PAGE);
  const report = await recoverStore({ source, output, allowPartial: true });
  expect(report.mends.placeholderSessions).toBe(6);
  for (const { title } of readRows(output, "sessions", "id").values()) {
    expect(title).toMatch(/^\[best-effort recovered \d\] /);
  }
});

it("REP-09 calls a salvage in which no time is plausible a failure", async () => {
  const database = new Database(source);
  database.exec("UPDATE messages SET timestamp = 12; UPDATE sessions SET started_at = 7");
  database.exec("UPDATE sqlite_sequence SET seq = 999");
  database.close();
  editSchema("UPDATE sqlite_master SET sql = 'CREATE INDEX garbage(' WHERE name = 'idx_messages_session'");
  const report = await recoverStore({ source, output, allowPartial: true });
  expect(report).toMatchObject({ status: "failed", verified: false });
  expect(report.errors.join()).toMatch(/plausible/);
});

it("REP-09 says of bytes that are no store that nothing can be recovered", async () => {
  damage.replace(source, Buffer.alloc(50_000));
  const report = await recoverStore({ source, output, allowPartial: true });
  expect(report).toMatchObject({ status: "failed", recoverable: false });
  expect((await recoverStore({ source, inspectOnly: true })).status).toBe("failed");
});
