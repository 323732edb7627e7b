import type { RunResult, SqlValue } from "@hermes/state-schema";

/** One prepared statement. `params` are positional. */
export interface DriverStatement {
  all(params: readonly SqlValue[]): unknown[];
  get(params: readonly SqlValue[]): unknown;
  run(params: readonly SqlValue[]): RunResult;
}

/** One open connection of the linked SQLite library. */
export interface DriverConnection {
  /** @param shape - `object` rows keyed by column, or `tuple` rows in column order. */
  prepare(sql: string, shape: "object" | "tuple"): DriverStatement;
  exec(sql: string): void;
  /** Runs one statement with `sqlite_schema` writable, and has the schema read again. */
  editSchema(sql: string, params: readonly SqlValue[]): RunResult;
  /** Runs `PRAGMA <text>` and returns the first value it answers with, if it answers. */
  pragma(text: string): SqlValue | undefined;
  readonly inTransaction: boolean;
  /**
   * Copies the database page by page, as this connection sees it, into `target`. Nothing of it is parsed, so damage is
   * copied as it is.
   *
   * @param step - Called between two steps; what it throws ends the copy.
   */
  copyTo(target: string, step: (donePages: number, totalPages: number) => void): Promise<void>;
  close(): void;
}

/** How to open a connection. */
export interface DriverOpenOptions {
  readonly readonly: boolean;
  /** Milliseconds SQLite itself waits for a lock before it answers busy. */
  readonly busyTimeoutMs: number;
  /** Lets statements edit `sqlite_master` and shadow tables: for repair alone, on a file nobody else has open. */
  readonly unsafe?: true;
}

/**
 * The seam to the SQLite library, structural so that a test can stand in for a library that lacks a feature.
 * The file must exist: creating it is the store's own step (COR-13).
 */
export interface Driver {
  readonly name: string;
  /**
   * Makes sure that the library can be loaded, before anything is created.
   *
   * @throws STATE_E_DRIVER_UNAVAILABLE
   */
  load?(): void;
  open(path: string, options: DriverOpenOptions): DriverConnection;
}
