import type { RunResult, SqlRow, SqlValue, Writer } from "@hermes/state-schema";
import type { Connection } from "../connection/connection.js";
import { StateError } from "../errors/state-error.js";

/** The writer a callback sees: it works inside its own transaction and refuses ever after (COR-05). */
export class TransactionWriter implements Writer {
  #connection: Connection | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Called by the executor when the transaction has ended. */
  revoke(): void {
    this.#connection = undefined;
  }

  all<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): T[] {
    return this.#live().all<T>(sql, params);
  }

  get<T extends object = SqlRow>(sql: string, params?: readonly SqlValue[]): T | undefined {
    return this.#live().get<T>(sql, params);
  }

  tuples<T extends readonly SqlValue[] = readonly SqlValue[]>(sql: string, params?: readonly SqlValue[]): T[] {
    return this.#live().tuples<T>(sql, params);
  }

  run(sql: string, params?: readonly SqlValue[]): RunResult {
    return this.#live().run(sql, params);
  }

  exec(sql: string): void {
    this.#live().exec(sql);
  }

  editSchema(sql: string, params?: readonly SqlValue[]): RunResult {
    return this.#live().editSchema(sql, params);
  }

  #live(): Connection {
    if (this.#connection) return this.#connection;
    throw new StateError(
      "STATE_E_WRITER_EXPIRED",
      "This writer's transaction has ended. Do all work inside the callback of write() and return plain values.",
    );
  }
}
