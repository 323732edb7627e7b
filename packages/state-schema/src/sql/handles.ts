import type { RebuildAdmission } from "./rebuild-admission.js";

/**
 * A value SQLite can bind or return. Integers come back as numbers; beyond 2^53 they lose exactness (docs/integers.md).
 */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One result row, keyed by column name. */
export type SqlRow = Record<string, SqlValue>;

/** What a write statement did. */
export interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: number;
}

/**
 * A connection seen by code that only reads. Statements are prepared once per connection and cached by their text.
 *
 * Source of the rule: COR-05, a pure reader is typed so that it cannot write.
 */
export interface Reader {
  /** All rows of a query, as objects. */
  all<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): T[];
  /** The first row of a query, or undefined. */
  get<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): T | undefined;
  /** All rows of a query, as arrays in the order of the selected columns: cheaper than objects for wide reads. */
  tuples<T extends readonly SqlValue[] = readonly SqlValue[]>(sql: string, params?: readonly SqlValue[]): T[];
}

/**
 * A connection inside one write transaction. It is handed to the callback of a write and is not valid after it.
 *
 * Lone surrogates in bound text are replaced where the driver binds them (COR-14), nowhere else.
 */
export interface Writer extends Reader {
  /** Runs one statement that returns no rows. */
  run(sql: string, params?: readonly SqlValue[]): RunResult;
  /** Runs one parameterless statement, such as DDL, without caching it. Never a script with its own transaction. */
  exec(sql: string): void;
  /**
   * Runs one statement on `sqlite_schema` itself, writable for this statement alone, and reads the schema again. For
   * objects that no DDL can remove, because they cannot be opened any more; a later DDL statement of the same
   * transaction tells other connections.
   */
  editSchema(sql: string, params?: readonly SqlValue[]): RunResult;
}

/**
 * What schema work needs from its host: reads, short write transactions, and a window without foreign-key enforcement.
 * The host owns locking, retrying and error types; this package never opens a transaction of its own.
 */
export interface SchemaHost extends Reader {
  /** Runs `fn` inside one BEGIN IMMEDIATE transaction, retried as a whole while the file is busy. */
  transaction<T>(label: string, fn: (w: Writer) => T): T;
  /** Runs `fn` with `PRAGMA foreign_keys=OFF` and switches enforcement back on afterwards, also after a throw. */
  withoutForeignKeys<T>(fn: () => T): T;
  /** True when the error says that the file stayed locked beyond the patience of a transaction. */
  isBusy(error: unknown): boolean;
  /** True when the error says that a module or tokenizer is absent from the linked SQLite. */
  isCapabilityError(error: unknown): boolean;
  /**
   * Asks for the right to rebuild a search index from scratch: nobody else has the file open, and no other process
   * rebuilds (`<db>.fts_rebuild.lock`). Without it do not rebuild.
   */
  admitRebuild(): RebuildAdmission;
  /** Wall clock in REAL seconds since the epoch. */
  now(): number;
  /** `count` random bytes in lower-case hex. */
  randomHex(count: number): string;
}
