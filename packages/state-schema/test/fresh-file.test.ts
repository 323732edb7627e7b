import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  detectFtsLayout,
  initializeSchema,
  probeCapabilities,
  probeSchema,
  readIndexState,
  TABLES,
} from "../src/index.js";
import { addMessage, addSession, change } from "./old-file.js";
import { runPython } from "./python.js";
import { tempFolder } from "./temp-files.js";
import { openTestHost } from "./test-host.js";

it("SCH-01 creates a fresh file in one transaction, in the newest shape", () => {
  using folder = tempFolder();
  using host = openTestHost(folder.file("state.db"));
  const report = initializeSchema(host);
  expect(report).toMatchObject({ created: true, versionBefore: undefined, versionAfter: 30, layout: 3, problems: [] });
  expect(report.pausedAt).toBeUndefined();
  expect(host.transactions).toHaveLength(1);
  expect(detectFtsLayout(host)).toBe(3);
  expect(probeSchema(host)).toEqual({ current: true, missingTables: [], missingColumns: [] });
  expect(readIndexState(host, probeCapabilities(host))).toEqual({
    layout: 3,
    word: { present: true, triggers: true, readable: true },
    trigram: { present: true, triggers: true, readable: true },
    stale: false,
    pending: undefined,
  });
});

it("SCH-01 creates every table the model calls always present and no opt-in one", () => {
  using host = openTestHost(":memory:");
  initializeSchema(host);
  const names = host.db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  for (const model of Object.values(TABLES))
    expect([model.name, names.includes(model.name)]).toEqual([model.name, model.presence === "always"]);
});

it("GND-01 T18 stamps provenance in state_meta and never in the header", () => {
  using folder = tempFolder();
  const path = folder.file("state.db");
  {
    using host = openTestHost(path);
    initializeSchema(host);
    const meta = new Map(host.db.prepare("SELECT key, value FROM state_meta").raw().all() as [string, string][]);
    expect([...meta.keys()].sort()).toEqual([
      "db_file_generation",
      "fts_storage_version",
      "store_created_at_utc",
      "store_instance_id",
    ]);
    expect(meta.get("db_file_generation")).toMatch(/^[0-9a-f]{32}$/);
    expect(meta.get("store_instance_id")).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(meta.get("store_created_at_utc")).toBe("2023-11-14T22:13:20.250Z");
    expect(meta.get("fts_storage_version")).toBe("3");
  }
  const bytes = readFileSync(path);
  expect([bytes.readUInt32BE(60), bytes.readUInt32BE(68)]).toEqual([0, 0]);
});

it("GND-02 lets Python's sqlite3 write to a fresh file and keeps the indexes whole", () => {
  using folder = tempFolder();
  const path = folder.file("state.db");
  {
    using host = openTestHost(path);
    initializeSchema(host);
    change(host, (w) => {
      addSession(w, "s");
      addMessage(w, "s", { content: "written here" });
    });
  }
  const answer = runPython<{ ids: number[]; order: number[]; integrity: string }>(
    `
import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1])
columns = "session_id, role, content, timestamp, active"
c.execute(f"INSERT INTO messages ({columns}) VALUES ('s', 'user', 'written there', 2.5, 1)")
c.execute("UPDATE messages SET content = 'changed there' WHERE id = 1")
c.commit()
c.execute("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)")
c.execute("INSERT INTO messages_fts_trigram(messages_fts_trigram, rank) VALUES ('integrity-check', 1)")
print(json.dumps({
  "ids": [r[0] for r in c.execute("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'there' ORDER BY rowid")],
  "order": [r[0] for r in c.execute("SELECT display_order FROM messages ORDER BY id")],
  "integrity": c.execute("PRAGMA integrity_check").fetchone()[0],
}))
`,
    path,
  );
  expect(answer.ids).toEqual([1, 2]);
  expect(answer.order).toEqual([null, 2]);
  expect(answer.integrity).toBe("ok");
});

describe("files that are not fresh but have no sessions", () => {
  it("SCH-02 adds the store to a file that holds only async_delegations", () => {
    using host = openTestHost(":memory:");
    host.db.exec(`CREATE TABLE async_delegations (delegation_id TEXT PRIMARY KEY, origin_session TEXT NOT NULL,
      state TEXT NOT NULL, dispatched_at REAL NOT NULL, updated_at REAL NOT NULL)`);
    host.db.exec("INSERT INTO async_delegations VALUES ('d', 'o', 'running', 1, 2)");
    expect(initializeSchema(host)).toMatchObject({ created: true, versionAfter: 30, layout: 3, problems: [] });
    expect(probeSchema(host).current).toBe(true);
    expect(host.get("SELECT delegation_id, delivery_state FROM async_delegations")).toEqual({
      delegation_id: "d",
      delivery_state: "pending",
    });
  });

  it("GND-01 leaves foreign tables, indexes, views and triggers as they are", () => {
    using host = openTestHost(":memory:");
    host.db.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX notes_text ON notes(text)");
    host.db.exec("CREATE VIEW notes_view AS SELECT text FROM notes");
    host.db.exec("CREATE TRIGGER notes_guard BEFORE DELETE ON notes BEGIN SELECT RAISE(ABORT, 'no'); END");
    const foreign = (): unknown[] =>
      host.all(`SELECT name, sql
      FROM sqlite_master
      WHERE name LIKE 'notes%'
      ORDER BY name`);
    const before = foreign();
    expect(initializeSchema(host).created).toBe(true);
    expect(foreign()).toEqual(before);
  });

  it("SEA-08 puts messages that lost their sessions table up for backfill", () => {
    using host = openTestHost(":memory:");
    host.db.pragma("foreign_keys = OFF");
    host.db
      .exec(`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
      content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL)`);
    host.db.exec("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'orphan', 1)");
    const report = initializeSchema(host);
    expect(report).toMatchObject({ created: true, layout: 3, index: { pending: true } });
    expect(readIndexState(host, report.capabilities).pending).toEqual({ progress: 0, highWater: 1 });
  });
});
