import { describe, expect, it } from "vitest";
import { addMessage, addSession, buildOldFile, change } from "../../test/old-file.js";
import type { TestMessage } from "../../test/old-file.js";
import { openTestHost, type TestHost } from "../../test/test-host.js";
import type { Writer } from "../sql/handles.js";
import { setMeta } from "../sql/set-meta.js";
import { beginBulkIndexing, finishBulkIndexing } from "./bulk-indexing.js";
import type { CreatableLayout } from "./create-fts-objects.js";
import { detachFts } from "./detach-fts.js";

const MESSAGES: readonly (TestMessage & { session?: string })[] = [
  { content: "needle in plain text" },
  { role: "assistant", content: "needle", toolCalls: '[{"function": {"name": "find_needle"}}]' },
  { role: "tool", content: `${"x ".repeat(4200)}needle`, toolName: "find_needle" },
  { role: "tool", content: "needle early" },
  { content: '\u0000json:[{"type": "text", "text": "needle 大别山项目"}]' },
  { content: null },
  { content: "" },
  { content: "needle 大别山项目", session: "cron" },
  { content: "needle", session: "delegate" },
];

function file(layout: CreatableLayout | "none" = 3): TestHost {
  const host = openTestHost(":memory:");
  buildOldFile(host, { version: 30, layout });
  change(host, (w) => {
    addSession(w, "s");
    addSession(w, "cron", { source: "cron" });
    addSession(w, "delegate", { model_config: '{"_delegate_from": "s"}' });
    for (let n = 0; n < 5; n++) addMessage(w, "s", { content: `needle before ${n}` });
  });
  return host;
}

function addAll(w: Writer): number {
  return Math.max(...MESSAGES.map(({ session = "s", ...message }) => addMessage(w, session, message)));
}

/** @returns Whether the bulk way was taken. */
function addInBulk(host: TestHost): boolean {
  return change(host, (w) => {
    const bulk = beginBulkIndexing(w);
    const last = addAll(w);
    if (bulk) finishBulkIndexing(w, bulk, last);
    return bulk !== undefined;
  });
}

const ids = (host: TestHost, sql: string): unknown[] => host.db.prepare(sql).pluck().all();

/** Everything that tells two indexes apart. */
function contents(host: TestHost): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const table of ["messages_fts", "messages_fts_trigram"]) {
    if (ids(host, `SELECT 1 FROM sqlite_master WHERE name = '${table}'`).length === 0) continue;
    host.db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    found[`${table} sizes`] = ids(host, `SELECT id || ':' || hex(sz) FROM ${table}_docsize ORDER BY id`);
    for (const term of ["needle", "find_needle", "json", "别山项"]) {
      const match = `SELECT rowid FROM ${table} WHERE ${table} MATCH '"${term}"' ORDER BY rowid`;
      found[`${table} ${term}`] = ids(host, match);
    }
  }
  found["meta"] = ids(host, "SELECT key || '=' || value FROM state_meta ORDER BY key");
  return found;
}

describe.each([1, 2, 3] as const)("COR-21 bulk indexing of layout %s", (layout) => {
  it("COR-21 leaves the index that row triggers would have left, and no markers", () => {
    using byTrigger = file(layout);
    using inBulk = file(layout);
    change(byTrigger, addAll);
    expect(addInBulk(inBulk)).toBe(true);
    expect(contents(inBulk)).toEqual(contents(byTrigger));
    expect(contents(inBulk)["messages_fts needle"]?.length).toBeGreaterThan(10);
    expect(contents(inBulk)["messages_fts_trigram 别山项"]?.length).toBeGreaterThan(0);
  });

  it("COR-21 indexes the word half alone where the file has no trigram index", () => {
    using host = file(layout);
    change(host, (w) => {
      for (const event of ["insert", "delete", "update"]) w.exec(`DROP TRIGGER messages_fts_trigram_${event}`);
      w.exec("DROP TABLE messages_fts_trigram");
    });
    expect(addInBulk(host)).toBe(true);
    expect(ids(host, "SELECT count(*) FROM messages_fts_docsize")).toEqual(ids(host, "SELECT count(*) FROM messages"));
    contents(host);
  });

  it("COR-21 keeps older rows in step when they are deleted in between", () => {
    using host = file(layout);
    change(host, (w) => {
      const bulk = beginBulkIndexing(w)!;
      w.run("DELETE FROM messages WHERE id IN (1, 2)");
      finishBulkIndexing(w, bulk, addAll(w));
    });
    const found = contents(host);
    expect(found["messages_fts needle"]).not.toContain(1);
    expect(found["messages_fts needle"]).toContain(3);
  });

  it("COR-21 an error in between takes everything back", () => {
    using host = file(layout);
    const before = contents(host);
    const failing = (w: Writer): void => {
      beginBulkIndexing(w);
      addAll(w);
      throw new Error("disk full");
    };
    expect(() => change(host, failing)).toThrow("disk full");
    expect(contents(host)).toEqual(before);
  });
});

describe("COR-21 the triggers do the work", () => {
  const spoilt: [string, (w: Writer) => void][] = [
    ["while a rebuild is pending", (w) => setMeta(w, "fts_rebuild_high_water", "3")],
    ["while only its progress is left", (w) => setMeta(w, "fts_rebuild_progress", "3")],
    ["while the index is stale", (w) => detachFts(w)],
    ["where a trigger is missing", (w) => w.exec("DROP TRIGGER messages_fts_trigram_delete")],
    ["where a view is missing", (w) => w.exec("DROP VIEW messages_fts_trigram_src")],
    ["where a trigger is not gated", (w) => replaceTrigger(w, "")],
  ];

  it.each(spoilt)("COR-21 %s", (_title, spoil) => {
    using host = file();
    change(host, spoil);
    const meta = ids(host, "SELECT key FROM state_meta ORDER BY key");
    expect(change(host, beginBulkIndexing)).toBeUndefined();
    expect(ids(host, "SELECT key FROM state_meta ORDER BY key")).toEqual(meta);
  });

  it.each(["none", "content-only", 0] as const)("COR-21 in layout %s", (layout) => {
    using host = file(layout);
    expect(change(host, beginBulkIndexing)).toBeUndefined();
  });

  it("COR-21 a gate that lets the rows through does not index them twice", () => {
    using host = file();
    const keys = "(SELECT count(*) FROM state_meta WHERE key IN ('fts_rebuild_high_water', 'fts_rebuild_progress'))";
    change(host, (w) => replaceTrigger(w, `WHEN ${keys} >= 0`));
    expect(addInBulk(host)).toBe(true);
    expect(ids(host, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'plain'")).toEqual([6]);
    contents(host);
  });
});

function replaceTrigger(w: Writer, when: string): void {
  w.exec("DROP TRIGGER messages_fts_insert");
  w.exec(`CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages ${when} BEGIN
    INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
    SELECT id, content, tool_name, tool_calls FROM messages_fts_src WHERE id = new.id; END`);
}

describe.each([1, 2, 3] as const)("COR-21 bulk indexing of a new session, layout %s", (layout) => {
  it("COR-21 leaves the index that row triggers would have left, whatever ids the messages keep", () => {
    using byTrigger = file(layout);
    using inBulk = file(layout);
    for (const host of [byTrigger, inBulk]) {
      change(host, (w) => {
        w.run("DELETE FROM messages WHERE id IN (2, 4)");
        addSession(w, "new");
      });
    }
    const insert = (w: Writer): number[] =>
      [2, 4, 900, 901].map((id) => {
        w.run("INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (?, 'new', 'user', ?, 1)", [
          id,
          `needle 大别山项目 ${id}`,
        ]);
        return id;
      });
    change(byTrigger, insert);
    change(inBulk, (w) => {
      const bulk = beginBulkIndexing(w, ["new"])!;
      finishBulkIndexing(w, bulk, Math.max(...insert(w)));
    });
    expect(contents(inBulk)).toEqual(contents(byTrigger));
    expect(contents(inBulk)["messages_fts needle"]).toEqual(expect.arrayContaining([2, 4, 900, 901]));
  });
});
