import { describe, expect, it } from "vitest";
import {
  detachFts,
  IndexReplacementError,
  initializeSchema,
  readIndexState,
  recoverIndex,
  replaceIndex,
  type SchemaHost,
  type Writer,
} from "../src/index.js";
import { hidingHost } from "./hiding-host.js";
import { addMessage, buildOldFile, change } from "./old-file.js";
import { openTestHost, type TestHost } from "./test-host.js";

const FULL = { fts5: true, trigram: true };
const WORD_ONLY = { fts5: true, trigram: false };
const NONE = { fts5: false, trigram: false };
const TRIGGERS = "SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%'";

/** A file with a stale index and two messages. */
function staleFile(options: { admit?: boolean } = {}): TestHost {
  const host = openTestHost(":memory:", options);
  initializeSchema(host);
  change(host, (w) => {
    w.run("INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)");
    addMessage(w, "s", { content: "first words" });
    detachFts(w);
    addMessage(w, "s", { content: "second words" });
  });
  return host;
}

const hits = (host: TestHost, table: string, term: string): unknown[] =>
  host.db.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`).pluck().all(term);
const count = (host: TestHost): number => host.get<{ n: number }>(TRIGGERS)?.n ?? 0;
const isStale = (host: TestHost): boolean => readIndexState(host, FULL).stale;

/** A host on which statements of one kind fail as the engine makes them fail. */
function failing(host: TestHost, pattern: RegExp, code: string): SchemaHost {
  const refuse = (sql: string): void => {
    if (pattern.test(sql)) throw Object.assign(new Error("database disk image is malformed"), { code });
  };
  const wrap = (w: Writer): Writer => ({
    ...w,
    run: (sql, params) => (refuse(sql), w.run(sql, params)),
    exec: (sql) => {
      refuse(sql);
      w.exec(sql);
    },
  });
  return { ...host, transaction: (label, fn) => host.transaction(label, (w) => fn(wrap(w))) };
}

describe("SEA-11 recovering a stale index", () => {
  it("SEA-11 replaces it in one transaction, fills it in steps and gives the right to rebuild back", () => {
    using host = staleFile();
    const before = host.transactions.length;
    const report = initializeSchema(host);
    expect(report).toMatchObject({ layout: 3, problems: [], index: { restored: "recovered", pending: false } });
    expect(host.transactions.slice(before)).toEqual([
      "replace the search index",
      "fill the search index",
      "stamp the search layout",
    ]);
    expect(host.rebuilds).toEqual({ asked: 1, released: 1 });
    expect(count(host)).toBe(6);
    expect(hits(host, "messages_fts", "words")).toEqual([1, 2]);
    expect(hits(host, "messages_fts_trigram", "econ")).toEqual([2]);
    const again = host.transactions.length;
    initializeSchema(host);
    expect(host.transactions.slice(again)).toEqual([]);
  });

  it("SEA-11 does nothing when a sibling was faster", () => {
    using host = staleFile();
    expect(recoverIndex(host, FULL)).toEqual({ kind: "recovered", layout: 3, lost: [] });
    change(host, (w) => w.exec("INSERT INTO messages_fts(messages_fts) VALUES ('optimize')"));
    expect(recoverIndex(host, FULL)).toEqual({ kind: "current" });
  });

  it("SEA-11 keeps it detached without the right to rebuild, and writes down that it waits", () => {
    using host = staleFile({ admit: false });
    expect(initializeSchema(host).index).toMatchObject({ restored: undefined, deferred: { reason: "locked" } });
    expect(isStale(host)).toBe(true);
    expect(count(host)).toBe(0);
    expect(
      host.get("SELECT json_extract(value, '$.attempts') AS n FROM state_meta WHERE key = 'fts_rebuild_deferral'"),
    ).toEqual({ n: 1 });
  });

  it.each([
    ["a table cannot be created", /^CREATE VIRTUAL TABLE/, "SQLITE_CORRUPT"],
    ["the disk is full", /INSERT INTO state_meta/, "SQLITE_FULL"],
    ["a view cannot be dropped", /^DROP VIEW/, "SQLITE_ERROR"],
  ])("SEA-11 is as before when %s: detached, reported, tried again at the next open", (_, pattern, code) => {
    using host = staleFile();
    const report = initializeSchema(failing(host, pattern, code));
    expect(report.problems).toMatchObject([{ step: "maintain the search index" }]);
    const { error } = report.problems[0] ?? {};
    expect(error).toBeInstanceOf(IndexReplacementError);
    expect((error as Error).cause).toMatchObject({ code });
    expect(host.rebuilds).toEqual({ asked: 1, released: 1 });
    expect(isStale(host)).toBe(true);
    expect(count(host)).toBe(0);
    expect(initializeSchema(host).index.restored).toBe("recovered");
    expect(hits(host, "messages_fts", "words")).toEqual([1, 2]);
  });

  it("SEA-11 lets the error of a busy file pass, so that the transaction is tried again", () => {
    using host = staleFile();
    const busy = failing(host, /^CREATE VIRTUAL TABLE/, "SQLITE_BUSY");
    expect(() => recoverIndex(busy, FULL)).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }) as Error);
  });

  it("SEA-11 an error in this code is thrown as it is", () => {
    using host = staleFile();
    expect(() => replaceIndex(host, FULL, () => (undefined as unknown as { x: () => boolean }).x())).toThrow(TypeError);
  });

  it("SEA-11 SCH-08 takes off a trigram index that this runtime cannot serve; a capable one fills it again", () => {
    using host = staleFile();
    const report = initializeSchema(hidingHost(host, WORD_ONLY), { sqliteCapabilities: WORD_ONLY });
    expect(report).toMatchObject({ problems: [], index: { restored: "recovered", pending: false } });
    expect(hits(host, "messages_fts", "words")).toEqual([1, 2]);
    expect(host.all("SELECT name FROM sqlite_master WHERE name LIKE 'messages_fts_trigram%'")).toEqual([]);
    expect(initializeSchema(host).index).toMatchObject({ restored: "reset", pending: false });
    expect(hits(host, "messages_fts_trigram", "econ")).toEqual([2]);
  });

  it("SEA-11 SCH-08 waits for a runtime with FTS5", () => {
    using host = staleFile();
    const report = initializeSchema(hidingHost(host, NONE), { sqliteCapabilities: NONE });
    expect(report.index.restored).toBeUndefined();
    expect(host.rebuilds.asked).toBe(0);
    expect(isStale(host)).toBe(true);
  });

  it("SEA-11 leaves the file of a newer program alone", () => {
    using host = staleFile();
    change(host, (w) => w.run("UPDATE schema_version SET version = 31"));
    expect(initializeSchema(host)).toMatchObject({ newer: true, index: { restored: undefined } });
    expect(isStale(host)).toBe(true);
  });

  it.each(["content-only", 0, 1, 2, 3] as const)(
    "SEA-11 SEA-12 of layout %s keeps no claim that no longer holds",
    (layout) => {
      using host = openTestHost(":memory:");
      buildOldFile(host, { version: 30, layout });
      change(host, (w) => {
        w.exec(
          "INSERT OR REPLACE INTO state_meta (key, value) VALUES ('fts_storage_version', '9'), ('fts_optimize_available', '1')",
        );
        w.run("INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)");
        addMessage(w, "s", { content: "some words" });
        detachFts(w);
      });
      const target = layout === 1 || layout === 2 ? layout : 3;
      expect(initializeSchema(host)).toMatchObject({
        layout: target,
        index: { restored: "recovered", pending: false },
      });
      const meta = new Map(host.tuples<[string, string]>("SELECT key, value FROM state_meta"));
      expect(meta.get("fts_storage_version")).toBe(String(target));
      expect(meta.has("fts_optimize_available")).toBe(target !== 3);
    },
  );
});
