import type { OpenedWriter } from "../connection/open-writer.js";
import { fileIdentity, sameFile } from "../files/file-identity.js";
import type { ReadPool } from "../reading/read-pool.js";
import type { UsageQueue } from "../usage/usage-queue.js";

/** Everything a store holds open. Apart from the store itself, so that a finalizer can close it (COR-03). */
export class StoreResources {
  readonly pool: ReadPool;
  readonly writer: OpenedWriter | undefined;
  readonly usage: UsageQueue | undefined;
  #closed = false;

  /** @param usage - Belongs to the writer, and is there if that is. */
  constructor(pool: ReadPool, writer?: OpenedWriter, usage?: UsageQueue) {
    this.pool = pool;
    this.writer = writer;
    this.usage = usage;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Writes queued usage, closes readers, checkpoints PASSIVE (COR-02) and closes the writer; of a quarantined handle
   * nothing reaches the file any more. Idempotent.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.usage?.stop();
    } finally {
      this.#closeConnections();
    }
  }

  #closeConnections(): void {
    const { writer, pool } = this;
    try {
      if (writer?.executor.retire()) closeBeside(pool, writer);
      else if (writer) checkpoint(writer);
    } finally {
      try {
        pool.close();
      } finally {
        writer?.connection.close();
      }
    }
  }
}

/** A courtesy: the log keeps what it holds, and the next open reads it. */
function checkpoint({ connection, journalMode }: OpenedWriter): void {
  try {
    if (journalMode === "wal") connection.pragma("wal_checkpoint(PASSIVE)");
  } catch {
    // Another process is checkpointing, or the file went away.
  }
}

/**
 * The last connection to close moves the log into the file by itself, which a handle that saw damage or a replaced file
 * must not do. A reader cannot write, so the writer closes while one is still open.
 */
function closeBeside(pool: ReadPool, { connection, guard }: OpenedWriter): void {
  const now = fileIdentity(pool.path);
  // Another file at the path is none of this connection's: it closes on its own, which has no name any more.
  if (!now || !sameFile(now, guard.identity)) return;
  try {
    pool.use(() => {
      connection.close();
    });
  } catch {
    // What stands in the file cannot be opened: there is nothing of ours left to protect.
  }
}
