import { channel } from "node:diagnostics_channel";
import type { RunResult, SqlRow, SqlValue, Writer } from "@hermes/state-schema";
import type { Driver, DriverConnection, DriverOpenOptions, DriverStatement } from "../driver/driver.js";
import { openRegistered } from "./live-connections.js";

/** Published for every statement a store runs, for tracing and for tests: `{ path, role, sql }`. */
const statements = channel("hermes:state:statement");

const STATEMENT_CACHE_LIMIT = 256;

/** What a connection is for: the one writer of a store, or one of its readers. */
export type ConnectionRole = "writer" | "reader";

/** Lone surrogates become U+FFFD where text is bound, and nowhere else (COR-14); everything else stays as it is. */
function scrub(params: readonly SqlValue[]): readonly SqlValue[] {
  for (let index = 0; index < params.length; index++) {
    const value = params[index];
    if (typeof value === "string" && !value.isWellFormed()) {
      return params.map((item) => (typeof item === "string" ? item.toWellFormed() : item));
    }
  }
  return params;
}

const NO_PARAMS: readonly SqlValue[] = [];

/** One open connection with its statement cache, registered as live from before it opens until after it closed. */
export class Connection implements Writer {
  readonly path: string;
  readonly role: ConnectionRole;
  readonly #native: DriverConnection;
  readonly #unregister: () => void;
  readonly #objects = new Map<string, DriverStatement>();
  readonly #tuples = new Map<string, DriverStatement>();
  #open = true;
  #schemaEdited = false;

  constructor(
    driver: Driver,
    path: string,
    role: ConnectionRole,
    busyTimeoutMs: number,
    extra: Pick<DriverOpenOptions, "unsafe"> = {},
  ) {
    const options = { readonly: role === "reader", busyTimeoutMs, ...extra };
    const opened = openRegistered(path, () => driver.open(path, options));
    this.path = path;
    this.role = role;
    this.#native = opened.connection;
    this.#unregister = opened.unregister;
  }

  all<T extends object = SqlRow>(sql: string, params: readonly SqlValue[] = NO_PARAMS): T[] {
    return this.#statement(sql, "object").all(scrub(params)) as T[];
  }

  get<T extends object = SqlRow>(sql: string, params: readonly SqlValue[] = NO_PARAMS): T | undefined {
    return this.#statement(sql, "object").get(scrub(params)) as T | undefined;
  }

  tuples<T extends readonly SqlValue[] = readonly SqlValue[]>(
    sql: string,
    params: readonly SqlValue[] = NO_PARAMS,
  ): T[] {
    return this.#statement(sql, "tuple").all(scrub(params)) as T[];
  }

  run(sql: string, params: readonly SqlValue[] = NO_PARAMS): RunResult {
    return this.#statement(sql, "object").run(scrub(params));
  }

  exec(sql: string): void {
    this.#trace(sql);
    this.#native.exec(sql);
  }

  editSchema(sql: string, params: readonly SqlValue[] = NO_PARAMS): RunResult {
    this.#trace(sql);
    this.#schemaEdited = true;
    return this.#native.editSchema(sql, scrub(params));
  }

  /** Ends a transaction that failed, if the engine has not done so itself: a second ROLLBACK would hide the error. */
  rollback(): void {
    try {
      if (this.inTransaction) this.run("ROLLBACK");
    } finally {
      // Otherwise this connection would go on with the schema that was rolled back.
      if (this.#schemaEdited) this.#native.pragma("writable_schema=RESET");
      this.#schemaEdited = false;
    }
  }

  /**
   * Reads or sets one pragma and returns the first value it answers with; never cached, since it changes the
   * connection.
   */
  pragma(text: string): SqlValue | undefined {
    this.#trace(`PRAGMA ${text}`);
    return this.#native.pragma(text);
  }

  /**
   * Copies the database page by page, as this connection sees it, into a file that nobody has open. Damage is copied
   * as it is.
   *
   * @param target - An existing file, whose content is replaced; it counts as live until the copy ends.
   * @param step - Called between two steps; what it throws ends the copy.
   */
  async copyTo(target: string, step: (donePages: number, totalPages: number) => void = () => undefined): Promise<void> {
    this.#trace(`-- copy to ${target}`);
    const copying = openRegistered(target, () => this.#native.copyTo(target, step));
    try {
      await copying.connection;
    } finally {
      copying.unregister();
    }
  }

  get inTransaction(): boolean {
    return this.#native.inTransaction;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Closes once. The path stays registered as live when the native close fails, so that raw access stays refused. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#objects.clear();
    this.#tuples.clear();
    this.#native.close();
    this.#unregister();
  }

  #trace(sql: string): void {
    if (statements.hasSubscribers) statements.publish({ path: this.path, role: this.role, sql });
  }

  #statement(sql: string, shape: "object" | "tuple"): DriverStatement {
    this.#trace(sql);
    const cache = shape === "object" ? this.#objects : this.#tuples;
    const cached = cache.get(sql);
    if (cached) return cached;
    const prepared = this.#native.prepare(sql, shape);
    if (cache.size >= STATEMENT_CACHE_LIMIT) {
      const oldest = cache.keys().next();
      if (!oldest.done) cache.delete(oldest.value);
    }
    cache.set(sql, prepared);
    return prepared;
  }
}
