import type { OpenedWriter } from "../connection/open-writer.js";
import type { ReadPool } from "../reading/read-pool.js";

/** Everything a store holds open. Apart from the store itself, so that a finalizer can close it (COR-03). */
export class StoreResources {
  readonly pool: ReadPool;
  readonly writer: OpenedWriter | undefined;
  #closed = false;

  constructor(pool: ReadPool, writer: OpenedWriter | undefined) {
    this.pool = pool;
    this.writer = writer;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Closes readers, checkpoints PASSIVE (COR-02) unless the handle is quarantined, and closes the writer.
   * Idempotent.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.pool.close();
    } finally {
      this.#closeWriter();
    }
  }

  #closeWriter(): void {
    if (!this.writer) return;
    const { connection, executor, journalMode } = this.writer;
    try {
      if (journalMode === "wal" && !executor.quarantined) connection.pragma("wal_checkpoint(PASSIVE)");
    } catch {
      // A checkpoint is a courtesy: the log keeps what it holds, and the next open reads it.
    } finally {
      connection.close();
    }
  }
}
