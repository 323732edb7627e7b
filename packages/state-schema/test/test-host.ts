import { randomBytes } from "node:crypto";
import Database from "better-sqlite3";
import type { Reader, SchemaHost, SqlValue, Writer } from "../src/index.js";

/** What a test may change about its host. */
export interface TestHostOptions {
  /** How long a transaction waits for the file, in milliseconds. */
  readonly patienceMs?: number;
  /** What {@link SchemaHost.admitRebuild} answers. */
  readonly admit?: boolean;
}

/** A schema host on the real engine, without the store's executor around it. */
export interface TestHost extends SchemaHost, Disposable {
  readonly db: Database.Database;
  /** Labels of the transactions that ran, in order. */
  readonly transactions: string[];
  /** How often the right to rebuild was asked for and given back. */
  readonly rebuilds: { asked: number; released: number };
}

/** Opens a file for a test. */
export function openTestHost(path: string, options: TestHostOptions = {}): TestHost {
  const db = new Database(path, { timeout: options.patienceMs ?? 1000 });
  db.pragma("foreign_keys = ON");
  const reader = readerOf(db);
  const writer: Writer = {
    ...reader,
    run: (sql, params = []) => {
      const { changes, lastInsertRowid } = db.prepare(sql).run(...params);
      return { changes, lastInsertRowid: Number(lastInsertRowid) };
    },
    exec: (sql) => void db.exec(sql),
    editSchema: (sql, params = []) => {
      db.unsafeMode(true);
      try {
        db.pragma("writable_schema = ON");
        const { changes, lastInsertRowid } = db.prepare(sql).run(...params);
        return { changes, lastInsertRowid: Number(lastInsertRowid) };
      } finally {
        db.pragma("writable_schema = RESET");
        db.unsafeMode(false);
      }
    },
  };
  const transactions: string[] = [];
  const rebuilds = { asked: 0, released: 0 };
  return {
    ...reader,
    db,
    transactions,
    rebuilds,
    transaction: (label, fn) => {
      transactions.push(label);
      return db.transaction(() => fn(writer)).immediate();
    },
    withoutForeignKeys: (fn) => {
      db.pragma("foreign_keys = OFF");
      try {
        return fn();
      } finally {
        db.pragma("foreign_keys = ON");
      }
    },
    isBusy: (error) => codeOf(error).startsWith("SQLITE_BUSY"),
    isCapabilityError: (error) => /no such (module|tokenizer)/.test(String(error)),
    admitRebuild: () => {
      rebuilds.asked += 1;
      if (options.admit === false) return { kind: "deferred", reason: "locked", holders: [], errno: undefined };
      return { kind: "admitted", release: () => void (rebuilds.released += 1) };
    },
    now: () => 1_700_000_000.25,
    randomHex: (count) => randomBytes(count).toString("hex"),
    [Symbol.dispose]: () => void db.close(),
  };
}

/** The reading half of a connection. */
export function readerOf(db: Database.Database): Reader {
  return {
    all: <T extends object>(sql: string, params: readonly SqlValue[] = []) => db.prepare(sql).all(...params) as T[],
    get: <T extends object>(sql: string, params: readonly SqlValue[] = []) =>
      db.prepare(sql).get(...params) as T | undefined,
    tuples: <T extends readonly SqlValue[]>(sql: string, params: readonly SqlValue[] = []) =>
      db
        .prepare(sql)
        .raw()
        .all(...params) as T[],
  };
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
