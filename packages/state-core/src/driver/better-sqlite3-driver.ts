import { createRequire } from "node:module";
import type { RunResult, SqlValue } from "@hermes/state-schema";
import type Database from "better-sqlite3";
import { StateError } from "../errors/state-error.js";
import type { Driver, DriverConnection, DriverStatement } from "./driver.js";

type DatabaseConstructor = typeof Database;

let loaded: DatabaseConstructor | undefined;

/** The native library is loaded by the first open, never by an import. */
function loadLibrary(): DatabaseConstructor {
  if (loaded) return loaded;
  try {
    loaded = createRequire(import.meta.url)("better-sqlite3") as DatabaseConstructor;
    return loaded;
  } catch (cause) {
    throw driverUnavailable(cause);
  }
}

function driverUnavailable(cause: unknown): StateError {
  const reason = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  return new StateError(
    "STATE_E_DRIVER_UNAVAILABLE",
    `The native SQLite binding cannot be loaded by Node ${process.version} (${reason}). ` +
      "Reinstall it for this Node version: npm rebuild better-sqlite3.",
    { node: process.version, abi: process.versions.modules, reason },
    { cause },
  );
}

/** The binding itself is found only when a database is constructed; its absence has no result code. */
function isBindingError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string" && code.startsWith("SQLITE_")) return false;
  return code === "ERR_DLOPEN_FAILED" || code === "MODULE_NOT_FOUND" || /bindings file/i.test(String(error));
}

class BetterStatement implements DriverStatement {
  constructor(private readonly statement: Database.Statement) {}
  all(params: readonly SqlValue[]): unknown[] {
    return this.statement.all(params);
  }
  get(params: readonly SqlValue[]): unknown {
    return this.statement.get(params);
  }
  run(params: readonly SqlValue[]): RunResult {
    return this.statement.run(params) as RunResult;
  }
}

class BetterConnection implements DriverConnection {
  constructor(private readonly database: Database.Database) {}
  prepare(sql: string, shape: "object" | "tuple"): DriverStatement {
    const statement = this.database.prepare(sql);
    if (shape === "tuple") statement.raw(true);
    return new BetterStatement(statement);
  }
  exec(sql: string): void {
    this.database.exec(sql);
  }
  pragma(text: string): SqlValue | undefined {
    return this.database.pragma(text, { simple: true }) as SqlValue | undefined;
  }
  get inTransaction(): boolean {
    return this.database.inTransaction;
  }
  close(): void {
    this.database.close();
  }
}

/**
 * The SQLite library this stack ships with; the only module that imports it.
 *
 * @throws STATE_E_DRIVER_UNAVAILABLE when its native binding is missing or was built for another Node.
 */
export const betterSqlite3Driver: Driver = {
  name: "better-sqlite3",
  open(path, options) {
    const Library = loadLibrary();
    try {
      const database = new Library(path, {
        readonly: options.readonly,
        fileMustExist: true,
        timeout: options.busyTimeoutMs,
      });
      return new BetterConnection(database);
    } catch (error) {
      if (isBindingError(error)) {
        throw driverUnavailable(error);
      }
      throw error;
    }
  },
};
