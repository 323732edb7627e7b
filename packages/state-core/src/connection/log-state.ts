import { closeSync, openSync, readSync } from "node:fs";
import type { Connection } from "./connection.js";

const SALTS_AT = 16;
const SALT_BYTES = 8;

/**
 * How many frames a log holds, and how many of them are in the main file. Both start over with each life of the log.
 */
export interface LogCounts {
  readonly log: number;
  readonly checkpointed: number;
}

/** What tells whether anybody moved pages from the log into the main file. */
export interface LogState {
  counts(): LogCounts;
  /** New with each life of the log; "" without one. */
  salts(): string;
}

/** No SQLite lock is ever held on the log itself, so reading it by descriptor drops none (COR-07). */
function readSalts(path: string): string {
  try {
    const descriptor = openSync(`${path}-wal`, "r");
    try {
      const salts = Buffer.alloc(SALT_BYTES);
      return salts.subarray(0, readSync(descriptor, salts, 0, SALT_BYTES, SALTS_AT)).toString("hex");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // No log, no salts; its absence is judged elsewhere.
    return "";
  }
}

/** The log of a database in WAL mode, as any connection to it sees it. */
export function logStateOf(connection: Connection): LogState {
  return {
    counts: () =>
      connection.get<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)") ?? {
        log: 0,
        checkpointed: 0,
      },
    salts: () => readSalts(connection.path),
  };
}
