import { betterSqlite3Driver, type Driver, type DriverConnection } from "@hermes/state-core";

/** What happens around the calls of the real driver. */
export interface DriverHooks {
  /** Runs before a statement, or a pragma, takes effect; what it throws, the driver throws. */
  readonly running?: (sql: string, connection: DriverConnection) => void;
  /** Changes a first row before it is returned. */
  readonly answered?: (sql: string, row: unknown) => unknown;
}

/** The real driver with hooks: it fails where a test wants it to, or lacks what a test takes from it. */
export function hookedDriver(hooks: DriverHooks): Driver {
  return { name: "hooked", open: (path, options) => hooked(betterSqlite3Driver.open(path, options), hooks) };
}

/** A library whose full-text search has no trigram tokenizer: it says that it is too old for one. */
export const WITHOUT_TRIGRAM: Driver = hookedDriver({
  answered: (_sql, row) =>
    typeof row === "object" && row !== null && "fts5" in row ? { ...row, version: "3.33.0" } : row,
});

/** A library without full-text search. */
export const WITHOUT_FTS5: Driver = hookedDriver({
  answered: (_sql, row) => (typeof row === "object" && row !== null && "fts5" in row ? { ...row, fts5: 0 } : row),
});

function hooked(connection: DriverConnection, { running, answered }: DriverHooks): DriverConnection {
  const run = (sql: string): void => running?.(sql, connection);
  return {
    prepare(sql, shape) {
      const statement = connection.prepare(sql, shape);
      return {
        all: (params) => (run(sql), statement.all(params)),
        get: (params) => {
          run(sql);
          const row = statement.get(params);
          return answered ? answered(sql, row) : row;
        },
        run: (params) => (run(sql), statement.run(params)),
      };
    },
    exec(sql) {
      run(sql);
      connection.exec(sql);
    },
    editSchema(sql, params) {
      run(sql);
      return connection.editSchema(sql, params);
    },
    pragma(text) {
      run(`PRAGMA ${text}`);
      return connection.pragma(text);
    },
    get inTransaction() {
      return connection.inTransaction;
    },
    copyTo: (target, pages) => connection.copyTo(target, pages),
    close: () => {
      connection.close();
    },
  };
}

/** Fails one statement of the write transactions of a store, BEGIN and COMMIT among them; ROLLBACK never fails. */
export class FaultyDriver {
  readonly driver: Driver;
  #left = Infinity;
  readonly #writers = new WeakSet<DriverConnection>();

  constructor(error: () => Error = () => new Error("injected")) {
    this.driver = hookedDriver({
      running: (sql, connection) => {
        const begins = sql === "BEGIN IMMEDIATE";
        if (begins) this.#writers.add(connection);
        if (sql === "ROLLBACK" || !this.#writers.has(connection)) return;
        if (!begins && !connection.inTransaction) return;
        // A handle that cannot tell whose file it writes to refuses for good: no work could be tried again on it.
        if (sql.includes("db_file_generation")) return;
        this.#left -= 1;
        if (this.#left === 0) throw error();
      },
    });
  }

  /** The nth statement from now on fails, and none after it. */
  failAt(statement: number): void {
    this.#left = statement;
  }

  /** True when the statement that was to fail has not come. */
  get survived(): boolean {
    return this.#left > 0;
  }
}
