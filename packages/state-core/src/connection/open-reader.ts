import type { Reader } from "@hermes/state-schema";
import type { Clock } from "../clock/clock.js";
import type { Random } from "../clock/random.js";
import type { Driver } from "../driver/driver.js";
import { Connection } from "./connection.js";
import { retryOpen } from "./open-retry.js";
import { applyPragmas, READER_PRAGMAS } from "./pragmas.js";

const READER_BUSY_TIMEOUT_MS = 5_000;

/** What a read connection needs to open. */
export interface ReaderSource {
  /** Canonical path. */
  readonly path: string;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly random: Random;
  /** TEMP views that give an old file the newest shape; nothing of it reaches the file. */
  readonly overlay?: (r: Reader) => readonly string[];
}

/** Opens one read connection. It changes no file mode, no journal mode and no schema (SCH-10). */
export function openReader(source: ReaderSource): Connection {
  const { path, driver, clock, random } = source;
  const connection = new Connection(driver, path, "reader", READER_BUSY_TIMEOUT_MS);
  try {
    retryOpen({ path, doing: "open the store for reading", patienceMs: READER_BUSY_TIMEOUT_MS, clock, random }, () => {
      connection.pragma(`busy_timeout=${READER_BUSY_TIMEOUT_MS}`);
      // The schema is read here, so that an unreadable file fails the open and not some later read.
      connection.get("SELECT 1 AS ok FROM sqlite_master LIMIT 1");
    });
    for (const statement of source.overlay?.(connection) ?? []) connection.exec(statement);
    applyPragmas(connection, READER_PRAGMAS);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
