import type { Reader } from "@hermes/state-schema";
import type { Connection } from "../connection/connection.js";
import { StateError } from "../errors/state-error.js";
import { storeClosed } from "../errors/write-errors.js";
import { hasSpareDescriptors } from "./descriptor-budget.js";
import { joinPools, leavePools, returnReaderPermit, takeReaderPermit } from "./reader-permits.js";
import type { IdleReaders } from "./reader-permits.js";

function noDescriptors(path: string): StateError {
  return new StateError(
    "STATE_E_NO_DESCRIPTORS",
    `This process has too few file descriptors left to read ${path}. ` +
      "Close stores and files that are not used, or raise its limit (ulimit -n).",
    { path },
  );
}

/**
 * The read connections of one store, last used first. A read inside a read takes a second connection; when none may be
 * opened it shares the outer one, which is sound because every read is finished before it returns.
 *
 * Source of the rule: COR-05, COR-06.
 */
export class ReadPool implements IdleReaders {
  readonly path: string;
  readonly #open: () => Connection;
  readonly #idle: Connection[] = [];
  readonly #inUse: Connection[] = [];
  #closed = false;

  /** @param open - Opens one read connection with its pragmas; called with a permit held. */
  constructor(path: string, open: () => Connection) {
    this.path = path;
    this.#open = open;
    joinPools(this);
  }

  /** How many connections are open, lent ones too. */
  get size(): number {
    return this.#idle.length + this.#inUse.length;
  }

  /** Lends a connection to `fn` for the length of the call, inside one read transaction. */
  use<T>(fn: (r: Reader) => T): T {
    if (this.#closed) throw storeClosed(this.path, "read");
    const borrowed = this.#borrow();
    if (!borrowed) return fn(this.#shared());
    this.#inUse.push(borrowed);
    try {
      return snapshot(borrowed, fn);
    } finally {
      this.#inUse.splice(this.#inUse.indexOf(borrowed), 1);
      this.#takeBack(borrowed);
    }
  }

  evictOne(): boolean {
    const oldest = this.#idle.shift();
    if (!oldest) return false;
    this.#discard(oldest);
    return true;
  }

  /** Closes idle connections now and lent ones when they come back. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    leavePools(this);
    while (this.evictOne());
  }

  #takeBack(connection: Connection): void {
    // A connection that could not end its read would fail the next one.
    if (this.#closed || connection.inTransaction) this.#discard(connection);
    else this.#idle.push(connection);
  }

  #borrow(): Connection | undefined {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#inUse.length > 0 && !hasSpareDescriptors()) return undefined;
    if (!takeReaderPermit(this.path)) return undefined;
    try {
      if (!hasSpareDescriptors()) throw noDescriptors(this.path);
      return this.#open();
    } catch (error) {
      returnReaderPermit(this.path);
      throw error;
    }
  }

  #shared(): Connection {
    const outer = this.#inUse.at(-1);
    if (outer) return outer;
    throw new StateError(
      "STATE_E_READERS_EXHAUSTED",
      `All read connections of this process are in use, so ${this.path} cannot be read now. Finish other reads first.`,
      { path: this.path },
    );
  }

  #discard(connection: Connection): void {
    try {
      connection.close();
    } finally {
      returnReaderPermit(this.path);
    }
  }
}

/**
 * Runs a read on one state of the database: what others commit meanwhile shows in the next read, not half in this
 * one.
 */
function snapshot<T>(connection: Connection, fn: (r: Reader) => T): T {
  connection.run("BEGIN");
  try {
    return fn(connection);
  } finally {
    endRead(connection);
  }
}

/** Nothing was written, so there is nothing to commit; after an error the engine may have ended it by itself. */
function endRead(connection: Connection): void {
  try {
    if (connection.isOpen && connection.inTransaction) connection.run("ROLLBACK");
  } catch {
    // A damaged file may refuse even this; the answer of the read stands, and the next one starts anew.
  }
}
