import { createRequire } from "node:module";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { prepareForWriting } from "../connection/prepare-file.js";
import { openWriter } from "../connection/open-writer.js";
import type { OpenedWriter } from "../connection/open-writer.js";
import { systemClock } from "../clock/clock.js";
import { isStateError } from "../errors/state-error.js";
import { resolveOptions } from "../store/open-options.js";

let folder: string;
let path: string;
let opened: OpenedWriter;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-executor-"));
  path = join(folder, "state.db");
  prepareForWriting(path, systemClock);
  opened = openWriter(resolveOptions({ path, patience: { routine: 300 } }));
});
afterEach(() => {
  opened.connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const INSERT_SESSION = "INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', 1.5)";
const INSERT_MESSAGE =
  "INSERT INTO messages (session_id, role, content, timestamp, active) VALUES (?, 'user', ?, 1.5, 1)";

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return isStateError(error) ? error.code : String(error);
  }
  return undefined;
}

function ids(): unknown[] {
  return opened.connection.tuples("SELECT id FROM sessions ORDER BY id").flat();
}

function addSession(id: string): void {
  opened.executor.write("add a session", (w) => w.run(INSERT_SESSION, [id]));
}

describe("WriteExecutor", () => {
  it("GND-05 commits what the callback did and rolls back what it threw", () => {
    addSession("a");
    expect(() =>
      opened.executor.write("fail", (w) => {
        w.run(INSERT_SESSION, ["b"]);
        throw new Error("mine");
      }),
    ).toThrow("mine");
    expect(ids()).toEqual(["a"]);
    expect(opened.connection.inTransaction).toBe(false);
  });

  it("COR-05 refuses a writer that was kept beyond its transaction", () => {
    let kept: { run(sql: string): unknown } | undefined;
    opened.executor.write("keep", (w) => {
      kept = w;
    });
    expect(codeOf(() => kept?.run("DELETE FROM sessions"))).toBe("STATE_E_WRITER_EXPIRED");
  });

  it("GND-05 refuses a second transaction inside the first, and goes on after it", () => {
    const nested = codeOf(() => {
      opened.executor.write("outer", () => {
        addSession("inner");
      });
    });
    expect(nested).toBe("STATE_E_NESTED_WRITE");
    addSession("later");
    expect(ids()).toEqual(["later"]);
  });

  it("GND-05 refuses a callback that returns a promise, and stores nothing of it", () => {
    expect(() =>
      opened.executor.write("async", (w) => {
        w.run(INSERT_SESSION, ["p"]);
        return Promise.resolve();
      }),
    ).toThrow(TypeError);
    expect(ids()).toEqual([]);
  });

  it("GND-05 gives up with a typed busy error and stores nothing while another handle holds the lock", () => {
    const other = openWriter(resolveOptions({ path }));
    try {
      other.connection.run("BEGIN IMMEDIATE");
      expect(
        codeOf(() => {
          addSession("late");
        }),
      ).toBe("STATE_E_BUSY");
      other.connection.run("ROLLBACK");
      expect(ids()).toEqual([]);
      addSession("now");
      expect(ids()).toEqual(["now"]);
    } finally {
      other.connection.close();
    }
  });

  it("COR-11 refuses once the file was replaced, and leaves the new file alone", () => {
    addSession("a");
    renameSync(path, `${path}.old`);
    writeFileSync(path, "somebody else's");
    expect(
      codeOf(() => {
        addSession("b");
      }),
    ).toBe("STATE_E_REPLACED");
    expect(opened.executor.quarantined).toBe(true);
    renameSync(`${path}.old`, path);
    expect(
      codeOf(() => {
        addSession("c");
      }),
    ).toBe("STATE_E_REPLACED");
  });

  it("COR-11 refuses once the log was deleted underneath", () => {
    addSession("a");
    rmSync(`${path}-wal`);
    expect(
      codeOf(() => {
        addSession("b");
      }),
    ).toBe("STATE_E_WAL_DELETED");
  });

  it("COR-09 detaches a wrecked index in the transaction that stores the row", () => {
    addSession("a");
    opened.executor.write("add", (w) => w.run(INSERT_MESSAGE, ["a", "needle one"]));
    // The structure record: from now on every insert into the index fails with a bare constraint error.
    wreckStructureRecord();
    opened.executor.write("add after the damage", (w) => w.run(INSERT_MESSAGE, ["a", "needle two"]));
    const rows = opened.connection.tuples("SELECT content FROM messages ORDER BY id").flat();
    expect(rows).toEqual(["needle one", "needle two"]);
    const stale = opened.connection.get("SELECT value FROM state_meta WHERE key = 'fts_stale'");
    expect(stale).toBeDefined();
    const triggers = opened.connection.tuples(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages\\_fts%' ESCAPE '\\'",
    );
    expect(triggers).toEqual([]);
    expect(opened.executor.quarantined).toBe(false);
  });

  it("SCH-09 drops a trigger that another program added and this runtime cannot serve, and keeps the rest", () => {
    addSession("a");
    addCjkIndex();
    opened.executor.write("add", (w) => w.run(INSERT_MESSAGE, ["a", "needle"]));
    expect(opened.connection.tuples("SELECT content FROM messages").flat()).toEqual(["needle"]);
    const keys = "SELECT key FROM state_meta WHERE key IN ('fts_stale', 'fts_cjk_stale')";
    expect(opened.connection.tuples(keys).flat()).toEqual(["fts_cjk_stale"]);
    expect(opened.connection.tuples("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'needle'")).toHaveLength(
      1,
    );
  });

  it("COR-09 keeps the index attached when the row itself is at fault", () => {
    addSession("a");
    expect(codeOf(() => opened.executor.write("orphan", (w) => w.run(INSERT_MESSAGE, ["nobody", "x"])))).toBe(
      "STATE_E_SESSION_NOT_FOUND",
    );
    expect(opened.connection.get("SELECT value FROM state_meta WHERE key = 'fts_stale'")).toBeUndefined();
  });

  it("COR-10 reports a durable write as done when the checkpoint after it fails", () => {
    const pragma = opened.connection.pragma.bind(opened.connection);
    opened.connection.pragma = (text: string) => {
      if (text.startsWith("wal_checkpoint")) throw new Error("disk I/O error");
      return pragma(text);
    };
    for (let write = 0; write < 60; write++) addSession(`s${write}`);
    expect(ids()).toHaveLength(60);
    expect(opened.executor.housekeepingFailures).toBe(1);
  });
});

it("COR-10 reports a durable write as done when the look at the log after it fails", () => {
  addSession("a");
  const get = opened.connection.get.bind(opened.connection);
  opened.connection.get = ((sql: string, params?: []) => {
    if (sql.includes("NOOP")) throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
    return get(sql, params);
  });
  addSession("b");
  expect(ids()).toEqual(["a", "b"]);
  expect(opened.executor.housekeepingFailures).toBe(1);
});

/** A second connection that may write what SQLite protects. */
function openRaw(): Database.Database {
  const Library = createRequire(import.meta.url)("better-sqlite3") as typeof Database;
  const raw = new Library(path);
  raw.unsafeMode(true);
  return raw;
}

/** What a program with the native tokenizer leaves in the schema; this SQLite can neither create nor use it. */
function addCjkIndex(): void {
  const raw = openRaw();
  raw.pragma("writable_schema=ON");
  const add = raw.prepare("INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)");
  const table = "CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, tokenize='cjk_unicode61')";
  add.run("table", "messages_fts_cjk", "messages_fts_cjk", table);
  const trigger =
    "CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN " +
    "INSERT INTO messages_fts_cjk(rowid, content) VALUES (new.id, new.content); END";
  add.run("trigger", "messages_fts_cjk_insert", "messages", trigger);
  raw.pragma(`schema_version=${Number(raw.pragma("schema_version", { simple: true })) + 1}`);
  raw.close();
}

/** Damages the index as field reports do. */
function wreckStructureRecord(): void {
  const raw = openRaw();
  raw.prepare("UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id = 10").run();
  raw.close();
}
