import { betterSqlite3Driver } from "../src/index.js";
import type { Driver, DriverConnection } from "../src/index.js";

/** What happens around the calls of the real driver. */
export interface DriverHooks {
  /** Runs before a statement is prepared; what it throws, the driver throws. */
  readonly preparing?: (sql: string) => void;
  /** Runs before a statement, or a pragma, takes effect. */
  readonly running?: (sql: string, connection: DriverConnection) => void;
  /** Changes a first row before it is returned. */
  readonly answered?: (sql: string, row: unknown) => unknown;
}

/** The real driver with hooks: it stands in for libraries that lack or refuse something. */
export function wrappedDriver(name: string, hooks: DriverHooks): Driver {
  return {
    name,
    open(path, options) {
      const connection = betterSqlite3Driver.open(path, options);
      const running = (sql: string): void => hooks.running?.(sql, connection);
      return {
        prepare(sql, shape) {
          hooks.preparing?.(sql);
          const statement = connection.prepare(sql, shape);
          return {
            all: (params) => (running(sql), statement.all(params)),
            get: (params) => {
              running(sql);
              const row = statement.get(params);
              return hooks.answered === undefined ? row : hooks.answered(sql, row);
            },
            run: (params) => (running(sql), statement.run(params)),
          };
        },
        exec(sql) {
          hooks.preparing?.(sql);
          running(sql);
          connection.exec(sql);
        },
        editSchema(sql, params) {
          hooks.preparing?.(sql);
          running(sql);
          return connection.editSchema(sql, params);
        },
        pragma(text) {
          hooks.preparing?.(`PRAGMA ${text}`);
          running(`PRAGMA ${text}`);
          return connection.pragma(text);
        },
        copyTo: (target, step) => connection.copyTo(target, step),
        get inTransaction() {
          return connection.inTransaction;
        },
        close: () => {
          connection.close();
        },
      };
    },
  };
}
