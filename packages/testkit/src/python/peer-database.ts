import type { PythonPeer, Running } from "./python-peer.js";

/** A message as the peer binds it: column names of the file; lists and objects become JSON text. */
export type PeerMessage = Readonly<Record<string, unknown>>;

/** One connection of a {@link PythonPeer}. */
export interface PeerDatabase {
  /** Rows of one statement; outside a transaction it commits by itself. */
  sql<T = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<T[]>;
  /** Inserts a session row; `source` and `started_at` have defaults. */
  createSession(row: PeerMessage): Promise<void>;
  /** Inserts one message and counts it, in one BEGIN IMMEDIATE transaction with patience. Returns its id. */
  append(sessionId: string, message: PeerMessage): Promise<number>;
  /**
   * Appends `count` user messages `"<prefix> <n>"`, one transaction each; `started` settles when the first is stored.
   * @param everyMs - Pause after each, so that another writer gets its turn; none when not given.
   */
  appendMany(sessionId: string, count: number, prefix: string, everyMs?: number): Running<number[]>;
  /** Holds the write lock for `ms` milliseconds; it is held once `started` settles. */
  holdWriteLock(ms: number): Running<void>;
  /** Whether the write lock is free at this moment. */
  canWrite(): Promise<boolean>;
  /** Rank-1 FTS5 integrity check of an index: `"ok"` or the engine's complaint. */
  ftsCheck(table: string): Promise<string>;
  close(): Promise<void>;
}

let opened = 0;

/**
 * Opens a database in the peer's process with the peer's connection settings.
 *
 * @param options - `readOnly` opens it as a reader; `timeoutSeconds` is the busy timeout, 1 when not given.
 */
export async function openPeerDatabase(
  peer: PythonPeer,
  path: string,
  options: { readonly readOnly?: boolean; readonly timeoutSeconds?: number } = {},
): Promise<PeerDatabase> {
  const name = `db${String(++opened)}`;
  await peer.call("open", { path, name, ...options });
  return {
    sql: (sql, params = []) => peer.call("sql", { name, sql, params }),
    createSession: (row) => peer.call("create_session", { name, row }),
    append: (sessionId, message) => peer.call("append", { name, sessionId, message }),
    appendMany: (sessionId, count, prefix, everyMs = 0) =>
      peer.begin("append_many", { name, sessionId, count, prefix, everyMs }),
    holdWriteLock: (ms) => peer.begin("hold_write_lock", { name, ms }),
    canWrite: () => peer.call("try_write_lock", { name }),
    ftsCheck: (table) => peer.call("fts_check", { name, table }),
    close: () => peer.call("close", { name }),
  };
}
