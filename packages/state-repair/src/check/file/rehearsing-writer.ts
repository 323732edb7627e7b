import { openMaintenanceConnection } from "@hermes/state-core";
import type { MaintenanceConnection } from "@hermes/state-core";
import type { Writer } from "@hermes/state-schema";
import type { ProbeWriter } from "../writes/probe-writer.js";

const BUSY_TIMEOUT_MS = 2_000;
const ANYTHING = "SELECT 1 AS found FROM main.sqlite_master LIMIT 1";

/**
 * A writer that leaves no byte behind: nothing is committed, nothing of an unfinished transaction is spilled to the
 * file, and a rollback journal stays in memory. It is opened beside a reader, which closes after it, so that it is
 * never the last one to close and checkpoint a log.
 */
export class RehearsingWriter implements ProbeWriter, Disposable {
  readonly #path: string;
  readonly #reader: MaintenanceConnection;
  #writer: MaintenanceConnection | undefined;

  constructor(path: string, reader: MaintenanceConnection) {
    this.#path = path;
    this.#reader = reader;
  }

  /**
   * Runs `fn` in a transaction that is rolled back.
   *
   * The reader holds a read of its own meanwhile. So nobody can change the journal mode, and a journal that another
   * process leaves behind in this moment is not rolled back by us.
   */
  rehearse<T>(fn: (w: Writer) => T): T {
    const reader = this.#reader;
    reader.exec("BEGIN");
    try {
      reader.get(ANYTHING);
      return this.#open().rehearse(fn);
    } finally {
      reader.exec("ROLLBACK");
    }
  }

  [Symbol.dispose](): void {
    this.#writer?.close();
  }

  #open(): MaintenanceConnection {
    if (this.#writer) return this.#writer;
    const writer = openMaintenanceConnection(this.#path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    this.#writer = writer;
    writer.pragma("cache_spill=OFF");
    if (writer.pragma("journal_mode") !== "wal") writer.pragma("journal_mode=MEMORY");
    return writer;
  }
}
