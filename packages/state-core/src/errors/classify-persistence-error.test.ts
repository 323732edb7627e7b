import { describe, expect, it } from "vitest";
import {
  classifyPersistenceError,
  isBusyError,
  isIndexCorruption,
  PERSISTENCE_CAUSES,
} from "./classify-persistence-error.js";
import type { PersistenceCause } from "./classify-persistence-error.js";
import { explainPersistenceCause } from "./explain-persistence-cause.js";
import { StateError } from "./state-error.js";
import { toStateError } from "./to-state-error.js";

function engineError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

const BY_CODE: readonly (readonly [string, string, PersistenceCause])[] = [
  ["SQLITE_BUSY", "database is locked", "locked"],
  ["SQLITE_BUSY_SNAPSHOT", "database is locked", "locked"],
  ["SQLITE_LOCKED", "database table is locked", "locked"],
  ["SQLITE_BUSY", "vtable constructor failed: messages_fts", "locked"],
  ["SQLITE_CORRUPT", "database disk image is malformed", "corrupt"],
  ["SQLITE_CORRUPT", "vtable constructor failed: messages_fts", "corrupt"],
  ["SQLITE_CORRUPT", "fts5: corruption found reading blob 1 from table messages_fts", "corrupt"],
  ["SQLITE_CORRUPT_VTAB", "database disk image is malformed", "fts_index"],
  ["SQLITE_NOTADB", "file is not a database", "corrupt"],
  ["SQLITE_FULL", "database or disk is full", "disk"],
  ["SQLITE_IOERR_WRITE", "disk I/O error", "disk"],
  ["SQLITE_READONLY", "attempt to write a readonly database", "disk"],
  ["SQLITE_CONSTRAINT_FOREIGNKEY", "FOREIGN KEY constraint failed", "session_row_missing"],
  ["SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: sessions.title", "unknown"],
];

const BY_TEXT: readonly (readonly [string, PersistenceCause])[] = [
  ["turn lease lost", "turn_lease"],
  ["session s1 is closed by compression", "compression_closed"],
  ["session s1 is being compressed", "compression"],
  ["compression lease lost before commit", "compression"],
  ["writing to a deleted state.db-wal", "deleted_wal"],
  ["writing to a deleted state.db-shm", "deleted_wal"],
  ["state.db was replaced underneath this handle", "replaced"],
  ["rpc failed: database disk image is malformed", "corrupt"],
  ["file is not a database", "corrupt"],
  ["database corruption", "corrupt"],
  ["database is locked (disk)", "locked"],
  ["the device is busy", "locked"],
  ["FOREIGN KEY constraint failed", "session_row_missing"],
  ["No space left on device", "disk"],
  ["ENOSPC", "disk"],
  ["attempt to write a readonly database", "disk"],
  ["fts5: index messages_fts is corrupt", "fts_index"],
  ["malformed inverted index for messages_fts_trigram: database disk image is malformed", "fts_index"],
  ["no more rows available", "locked"],
  ["something else", "unknown"],
  ["", "unknown"],
];

describe("classifyPersistenceError", () => {
  it.each(BY_CODE)("COR-08 puts %s (%s) into %s by its code", (code, message, cause) => {
    expect(classifyPersistenceError(engineError(code, message))).toBe(cause);
  });

  it.each(BY_TEXT)("COR-08 puts the text %j into %s", (text, cause) => {
    expect(classifyPersistenceError(text)).toBe(cause);
    expect(classifyPersistenceError(new Error(text))).toBe(cause);
  });

  it("COR-08 knows typed errors by their code and nothing by null", () => {
    expect(classifyPersistenceError(new StateError("STATE_E_COMPRESSION_CLOSED", "the disk is locked"))).toBe(
      "compression_closed",
    );
    expect(classifyPersistenceError(null)).toBe("unknown");
    expect(classifyPersistenceError(undefined)).toBe("unknown");
  });

  it("COR-08 publishes its buckets in order, corruption before lock and disk", () => {
    const at = (cause: PersistenceCause): number => PERSISTENCE_CAUSES.indexOf(cause);
    expect(at("corrupt")).toBeLessThan(at("disk"));
    expect(PERSISTENCE_CAUSES[0]).toBe("locked");
    expect(PERSISTENCE_CAUSES.at(-1)).toBe("unknown");
  });

  it("COR-08 explains every bucket without misleading words", () => {
    for (const cause of PERSISTENCE_CAUSES) expect(explainPersistenceCause(cause).length).toBeGreaterThan(20);
    expect(explainPersistenceCause("corrupt")).not.toMatch(/free (disk )?space[^ ]* and|free some/i);
    expect(explainPersistenceCause("corrupt")).toMatch(/doctor/);
    expect(explainPersistenceCause("compression_closed")).toMatch(/rotation/);
    expect(explainPersistenceCause("compression_closed")).not.toMatch(/disk|space/i);
    expect(explainPersistenceCause("disk")).toMatch(/space/);
  });

  it("GND-05 decides busy by the code where there is one", () => {
    expect(isBusyError(engineError("SQLITE_BUSY", "vtable constructor failed"))).toBe(true);
    expect(isBusyError(engineError("SQLITE_ERROR", "the word locked in a table name"))).toBe(false);
    expect(isBusyError(engineError("SQLITE_MISUSE", "no more rows available"))).toBe(true);
  });

  it("COR-09 takes only result code 267 as proof of a damaged index", () => {
    expect(isIndexCorruption(engineError("SQLITE_CORRUPT_VTAB", "x"))).toBe(true);
    expect(isIndexCorruption(engineError("SQLITE_CORRUPT", "fts5: corrupt messages_fts"))).toBe(false);
  });
});

describe("toStateError", () => {
  it("GND-04 never lets an engine error out and names what was attempted", () => {
    const cause = engineError("SQLITE_FULL", "database or disk is full");
    const typed = toStateError(cause, "append a message", "/x/state.db") as StateError;
    expect(typed.code).toBe("STATE_E_DISK_FULL");
    expect(typed.facts).toMatchObject({ path: "/x/state.db", doing: "append a message", bucket: "disk" });
    expect(typed.cause).toBe(cause);
  });

  it("GND-04 says that a file cannot be opened as what it is", () => {
    const cause = engineError("SQLITE_CANTOPEN", "unable to open database file");
    expect((toStateError(cause, "open", "/x") as StateError).code).toBe("STATE_E_NOT_ACCESSIBLE");
  });

  it("GND-04 leaves errors alone that a callback threw itself", () => {
    const own = new Error("the server is busy");
    expect(toStateError(own, "append", "/x")).toBe(own);
    const typed = new StateError("STATE_E_BUSY", "x");
    expect(toStateError(typed, "append", "/x")).toBe(typed);
  });
});
