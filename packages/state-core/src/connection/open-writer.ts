import { initializeSchema } from "@hermes/state-schema";
import type { SchemaHost, SchemaReport } from "@hermes/state-schema";
import { toStateError } from "../errors/to-state-error.js";
import { warnOnce } from "../config/warn-once.js";
import { fileIdentity } from "../files/file-identity.js";
import { hardenModes } from "../files/harden-modes.js";
import { storeReplaced } from "../errors/write-errors.js";
import { findHolders } from "../locking/find-holders.js";
import type { ResolvedOptions } from "../store/open-options.js";
import { FileGuard } from "../writing/file-guard.js";
import { WriteExecutor } from "../writing/write-executor.js";
import { Connection } from "./connection.js";
import { isCrossVmMount } from "./cross-vm-mount.js";
import { applyJournalPolicy } from "./journal-policy.js";
import { canonicalPath, liveConnectionCount } from "./live-connections.js";
import { logStateOf } from "./log-state.js";
import { retryOpen } from "./open-retry.js";
import { applyPragmas, writerPragmas } from "./pragmas.js";
import { readLegacyRouting } from "./read-legacy-routing.js";
import { schemaHost } from "./schema-host.js";

const WRITER_BUSY_TIMEOUT_MS = 1_000;

/** What an open for writing yields. */
export interface OpenedWriter {
  readonly connection: Connection;
  readonly executor: WriteExecutor;
  readonly guard: FileGuard;
  readonly journalMode: string;
  readonly sqliteVersion: string;
  readonly schema: SchemaReport;
}

function mayBeHeld(path: string): boolean {
  // This connection itself is one of the process's.
  if (liveConnectionCount(path) > 1) return true;
  const scan = findHolders(path);
  return !scan.complete || scan.holders.length > 0;
}

function settleJournal(connection: Connection, options: ResolvedOptions, sqliteVersion: string): string {
  const { path } = connection;
  return applyJournalPolicy({
    configured: options.journal,
    sqliteVersion,
    fresh: connection.pragma("page_count") === 0,
    mayBeHeld: () => mayBeHeld(path),
    isCrossVmMount: () => isCrossVmMount(path),
    pragma: (text) => connection.pragma(text),
    sleep: (ms) => {
      options.clock.sleep(ms);
    },
    warn: (code, message) => {
      warnOnce(code, path, `${path}: ${message}`);
    },
  });
}

function connect(connection: Connection, options: ResolvedOptions): OpenedWriter {
  const { path } = connection;
  const retry = {
    path,
    doing: "open the store",
    patienceMs: options.patience.routine,
    clock: options.clock,
    random: options.random,
  };
  connection.pragma(`busy_timeout=${WRITER_BUSY_TIMEOUT_MS}`);
  const sqliteVersion = String(connection.get<{ version: string }>("SELECT sqlite_version() AS version")?.version);
  const journalMode = retryOpen(retry, () => settleJournal(connection, options, sqliteVersion));
  hardenModes(options.path);
  retryOpen(retry, () => {
    applyPragmas(connection, writerPragmas(journalMode, options.durability, process.platform));
  });
  const identity = fileIdentity(path);
  if (!identity) throw storeReplaced(path, retry.doing, "removed");
  const { clock, random, patience } = options;
  const guard = new FileGuard({
    path,
    identity,
    clock,
    log: journalMode === "wal" ? logStateOf(connection) : undefined,
  });
  const executor = new WriteExecutor({ connection, guard, clock, random, patience });
  const host: SchemaHost = schemaHost(connection, executor, options);
  const schema = retryOpen(retry, () => initializeSchema(host, { legacyRouting: () => readLegacyRouting(path) }));
  guard.adoptToken(connection);
  return { connection, executor, guard, journalMode, sqliteVersion, schema };
}

/**
 * Opens the one writer of a store, in the order of COR-01: connect, journal policy, file modes, pragmas, foreign keys,
 * schema. A failure at any step closes what was opened (COR-03).
 *
 * @throws STATE_E_BUSY, STATE_E_CORRUPT, STATE_E_READONLY and the other typed errors of an open.
 */
export function openWriter(options: ResolvedOptions): OpenedWriter {
  const path = canonicalPath(options.path);
  let connection: Connection | undefined;
  try {
    connection = new Connection(options.driver, path, "writer", WRITER_BUSY_TIMEOUT_MS);
    return connect(connection, options);
  } catch (error) {
    connection?.close();
    throw toStateError(error, "open the store", path);
  }
}
