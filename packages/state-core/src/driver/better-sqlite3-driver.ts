import { createRequire } from "node:module";
import type { RunResult, SqlValue } from "@hermes/state-schema";
import type Database from "better-sqlite3";
import { StateError } from "../errors/state-error.js";
import type { Driver, DriverConnection, DriverStatement } from "./driver.js";

type DatabaseConstructor = typeof Database;

/** 4 MiB of small pages: the process gets its turn often, and the copy is not slowed down. */
const PAGES_A_STEP = 1024;

let loaded: DatabaseConstructor | undefined;

/** The native library is loaded by the first open, never by an import; its binding by the first database. */
function loadLibrary(): DatabaseConstructor {
  if (loaded) return loaded;
  try {
    const Library = createRequire(import.meta.url)("better-sqlite3") as DatabaseConstructor;
    new Library(":memory:").close();
    loaded = Library;
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
  editSchema(sql: string, params: readonly SqlValue[]): RunResult {
    // The library is opened defensively: it lets nobody write its own tables until it is told to.
    this.database.unsafeMode(true);
    try {
      this.database.pragma("writable_schema=ON");
      return this.database.prepare(sql).run(params) as RunResult;
    } finally {
      this.database.pragma("writable_schema=RESET");
      this.database.unsafeMode(false);
    }
  }
  pragma(text: string): SqlValue | undefined {
    return this.database.pragma(text, { simple: true }) as SqlValue | undefined;
  }
  get inTransaction(): boolean {
    return this.database.inTransaction;
  }
  async copyTo(target: string, step: (donePages: number, totalPages: number) => void): Promise<void> {
    await this.database.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        step(totalPages - remainingPages, totalPages);
        return PAGES_A_STEP;
      },
    });
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
  load() {
    loadLibrary();
  },
  open(path, options) {
    const Library = loadLibrary();
    const database = new Library(path, {
      readonly: options.readonly,
      fileMustExist: true,
      timeout: options.busyTimeoutMs,
    });
    if (options.unsafe) database.unsafeMode(true);
    return new BetterConnection(database);
  },
};
