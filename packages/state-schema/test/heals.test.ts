import { describe, expect, it } from "vitest";
import { initializeSchema } from "../src/index.js";
import { addMessage, addSession, buildOldFile, change, insert } from "./old-file.js";
import { openTestHost } from "./test-host.js";

const INDEXES_OF = `SELECT name
  FROM sqlite_master
  WHERE type = 'index'
  AND tbl_name = ?
  AND sql IS NOT NULL
  ORDER BY name`;

describe("SCH-03 the key of gateway_routing", () => {
  it("SCH-03 becomes (scope, session_key); the newest entry wins, unknown columns stay", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 26, layout: 1 });
    host.db.exec("DROP TABLE gateway_routing");
    host.db
      .exec(`CREATE TABLE gateway_routing (row INTEGER PRIMARY KEY, session_key TEXT, entry_json TEXT, updated_at REAL,
      extra TEXT NOT NULL DEFAULT 'e')`);
    host.db.exec("CREATE INDEX routing_extra ON gateway_routing(extra)");
    host.db.exec(`INSERT INTO gateway_routing (session_key, entry_json, updated_at)
      VALUES ('k', 'old', 1), ('k', 'new', 3), ('k', 'middle', 2), ('other', 'o', 1)`);
    const report = initializeSchema(host);
    expect(report).toMatchObject({ problems: [], healed: { routingKey: true, usageKey: false } });
    expect(
      host.all(`SELECT scope, session_key, entry_json, updated_at, extra
      FROM gateway_routing
      ORDER BY session_key`),
    ).toEqual([
      { scope: "", session_key: "k", entry_json: "new", updated_at: 3, extra: "e" },
      { scope: "", session_key: "other", entry_json: "o", updated_at: 1, extra: "e" },
    ]);
    host.db.exec(`INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at)
      VALUES ('', 'k', 'n', 4)
      ON CONFLICT (scope, session_key) DO UPDATE SET entry_json = excluded.entry_json`);
    expect(host.all(INDEXES_OF, ["gateway_routing"])).toEqual([{ name: "routing_extra" }]);
    expect(initializeSchema(host).healed.routingKey).toBe(false);
  });
});

describe("SCH-03 the key of session_model_usage", () => {
  it("SCH-03 gains task; every row stays, also of sessions that are gone", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 20, layout: 0 });
    host.db.pragma("foreign_keys = OFF");
    change(host, (w) => {
      addSession(w, "s");
      for (const session_id of ["s", "gone"])
        insert(w, "session_model_usage", { session_id, model: "m", input_tokens: 5 });
    });
    host.db.pragma("foreign_keys = ON");
    const report = initializeSchema(host);
    expect(report).toMatchObject({ problems: [], healed: { usageKey: true } });
    expect(
      host.all(`SELECT session_id, model, task, input_tokens, output_tokens
      FROM session_model_usage
      ORDER BY session_id`),
    ).toEqual([
      { session_id: "gone", model: "m", task: "", input_tokens: 5, output_tokens: 0 },
      { session_id: "s", model: "m", task: "", input_tokens: 5, output_tokens: 0 },
    ]);
    host.db.exec(`INSERT INTO session_model_usage (session_id, model, task)
      VALUES ('s', 'm', 'aux')
      ON CONFLICT (session_id, model, billing_provider, billing_base_url, billing_mode, task) DO NOTHING`);
    expect(host.all(INDEXES_OF, ["session_model_usage"])).toHaveLength(2);
    expect(host.db.pragma("foreign_keys", { simple: true })).toBe(1);
  });

  it("SCH-03 is healed although a search trigger is broken", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 20, layout: 0 });
    host.db.exec("CREATE TRIGGER broken AFTER INSERT ON messages BEGIN INSERT INTO nowhere VALUES (1); END");
    expect(initializeSchema(host)).toMatchObject({ problems: [], healed: { usageKey: true } });
  });
});

describe("SCH-03 messages whose active is NULL", () => {
  it.each(["content-only", 0, 1] as const)("SCH-03 become live again in layout %s", (layout) => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 11, layout, broad: true });
    change(host, (w) => {
      w.exec("ALTER TABLE messages ADD COLUMN active INTEGER");
      addSession(w, "s");
      for (let n = 0; n < 3; n += 1) addMessage(w, "s", { content: `alpha${n}` });
      w.run("UPDATE messages SET active = 0 WHERE id = 2");
    });
    const report = initializeSchema(host);
    expect(report).toMatchObject({ problems: [], healed: { nullActive: 2 } });
    expect(host.all("SELECT id, active FROM messages ORDER BY id")).toEqual([
      { id: 1, active: 1 },
      { id: 2, active: 0 },
      { id: 3, active: 1 },
    ]);
    expect(initializeSchema(host).healed.nullActive).toBe(0);
    host.db.exec("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)");
  });
});

describe("SCH-03 titles", () => {
  it("SCH-03 become unique: the newest row keeps its own, the others lose theirs, the count is reported", () => {
    using host = openTestHost(":memory:");
    buildOldFile(host, { version: 23, layout: 1 });
    change(host, (w) => {
      for (const [id, title] of [
        ["a", "same"],
        ["b", "same"],
        ["c", "same"],
        ["d", "other"],
        ["e", null],
      ] as const) {
        addSession(w, id, { title });
      }
    });
    const report = initializeSchema(host);
    expect(report).toMatchObject({ problems: [], healed: { duplicateTitles: 2 } });
    expect(host.all("SELECT id, title FROM sessions ORDER BY id")).toEqual([
      { id: "a", title: null },
      { id: "b", title: null },
      { id: "c", title: "same" },
      { id: "d", title: "other" },
      { id: "e", title: null },
    ]);
    expect(() => host.db.exec("UPDATE sessions SET title = 'other' WHERE id = 'a'")).toThrow(/UNIQUE/);
  });
});
