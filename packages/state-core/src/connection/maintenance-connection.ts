import type { Writer } from "@hermes/state-schema";
import { checkKnownOptions } from "../config/check-known-options.js";
import { betterSqlite3Driver } from "../driver/better-sqlite3-driver.js";
import type { Driver } from "../driver/driver.js";
import { Connection } from "./connection.js";
import { canonicalPath } from "./live-connections.js";

const BUSY_TIMEOUT_MS = 5_000;

/** macOS neither orders nor flushes what is not fully synced: without both, an index rebuild can tear pages. */
const DARWIN_BARRIERS = ["checkpoint_fullfsync=1", "synchronous=FULL"];

/** How to open a file that no store serves: a scratch copy, or a file under repair. */
export interface MaintenanceOptions {
  /** Opens without the right to change anything. Default false. */
  readonly readonly?: boolean;
  /** Milliseconds to wait for a lock inside one statement. Default 5000; 0 asks once. */
  readonly busyTimeoutMs?: number;
  /** Lets statements edit `sqlite_master` and the shadow tables of an index. Never on a file others have open. */
  readonly unsafe?: boolean;
  readonly driver?: Driver;
  /** As `process.platform`; injected so that the barriers of macOS can be proven elsewhere. */
  readonly platform?: string;
}

const OPTION_NAMES = ["readonly", "busyTimeoutMs", "unsafe", "driver", "platform"] as const;

/**
 * A connection outside of any store: autocommit, no journal policy, no schema work, one owner that closes it.
 * It is registered as live while it is open, so raw access by this process stays refused (COR-07).
 */
export class MaintenanceConnection extends Connection implements Disposable {
  readonly #platform: string;
  readonly #unsafe: boolean;

  constructor(path: string, options: MaintenanceOptions) {
    const role = options.readonly ? "reader" : "writer";
    const extra = options.unsafe ? { unsafe: true as const } : {};
    super(
      options.driver ?? betterSqlite3Driver,
      canonicalPath(path),
      role,
      options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
      extra,
    );
    this.#platform = options.platform ?? process.platform;
    this.#unsafe = options.unsafe ?? false;
  }

  /**
   * Sets the durability barriers of macOS again; nothing elsewhere. Call it right before REINDEX and before VACUUM: at
   * open a damaged schema may have refused them.
   *
   * @returns True when they are in effect, or not needed.
   */
  retakeBarriers(): boolean {
    if (this.role === "reader" || this.#platform !== "darwin") return true;
    try {
      for (const text of DARWIN_BARRIERS) this.pragma(text);
      return true;
    } catch {
      // A schema that does not parse refuses pragmas; whoever needs the barriers asks again once it parses.
      return false;
    }
  }

  /** Runs `fn` in one transaction and commits, or rolls back on any throw and throws the same. */
  transaction<T>(fn: (connection: this) => T, mode: "IMMEDIATE" | "EXCLUSIVE" = "IMMEDIATE"): T {
    this.exec(`BEGIN ${mode}`);
    try {
      const result = fn(this);
      this.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Runs `fn` in a transaction that is rolled back whatever happens: nothing of it reaches the file. */
  rehearse<T>(fn: (w: Writer) => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      return fn(this);
    } finally {
      this.#rollBack();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A failed statement may have ended the transaction already, and a second end would hide its reason. */
  #rollBack(): void {
    try {
      if (this.inTransaction) this.exec("ROLLBACK");
      // Otherwise this connection would go on with an edited schema that was rolled back.
      if (this.#unsafe) this.pragma("writable_schema=RESET");
    } catch {
      // Whatever is left ends with the connection; the error that led here is the one that matters.
    }
  }
}

/**
 * Opens a connection for repair, recovery and backup work on a file that no store of this process has open.
 *
 * @param path - An existing file. It is not created, and its journal mode and schema are left as they are.
 * @example
 * ```ts
 * using copy = openMaintenanceConnection("state.db.repair-scratch");
 * copy.retakeBarriers();
 * copy.exec("REINDEX");
 * ```
 * @throws STATE_E_OFFLINE_IN_USE while an offline scope works on the file; errors of the driver otherwise.
 * Source of the rule: REP-06.
 */
export function openMaintenanceConnection(path: string, options: MaintenanceOptions = {}): MaintenanceConnection {
  checkKnownOptions("openMaintenanceConnection", options, OPTION_NAMES);
  const connection = new MaintenanceConnection(path, options);
  connection.retakeBarriers();
  return connection;
}
