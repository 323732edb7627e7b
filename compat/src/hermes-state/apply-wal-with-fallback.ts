import {
  applyJournalPolicy,
  canonicalPath,
  checkKnownOptions,
  findHolders,
  isCrossVmMount,
  liveConnectionCount,
  MaintenanceConnection,
  StateError,
  systemClock,
} from "@hermes/state-core";
import type { JournalChoice } from "@hermes/state-core";
import { pragmaOf } from "./sqlite-handle.js";
import type { SqliteHandle } from "./sqlite-handle.js";
import { sqliteVersion } from "./sqlite-library.js";
import { warnOnce } from "./warn-once.js";

/** How to choose the journal mode of a connection. */
export interface WalOptions {
  /** What warnings call the file. Default: its path. */
  readonly dbLabel?: string;
  /** Throws instead of settling for less. Default false. */
  readonly requireWal?: boolean;
  /** What is configured. Default "wal". */
  readonly journal?: JournalChoice;
}

/** Bytes that a log may keep on disk once it is checkpointed. */
const LOG_BYTES = 67_108_864;

function fileOf(conn: SqliteHandle): string | undefined {
  if (conn instanceof MaintenanceConnection) return conn.path;
  const rows = conn.pragma?.("database_list") ?? conn.prepare?.("PRAGMA database_list").get();
  const [main] = (Array.isArray(rows) ? rows : [rows]) as { readonly file?: unknown }[];
  return typeof main?.file === "string" && main.file !== "" ? canonicalPath(main.file) : undefined;
}

/** Whether anybody but this connection may have the file open; not knowing counts as yes. */
function mayBeHeld(conn: SqliteHandle, path: string): boolean {
  if (liveConnectionCount(path) > (conn instanceof MaintenanceConnection ? 1 : 0)) return true;
  const scan = findHolders(path);
  return !scan.complete || scan.holders.length > 0;
}

function versionOf(conn: SqliteHandle): string {
  if (conn instanceof MaintenanceConnection || !conn.prepare) return sqliteVersion();
  const row = conn.prepare("SELECT sqlite_version() AS version").get() as { readonly version: string };
  return row.version;
}

function settle(conn: SqliteHandle, path: string, label: string, journal: JournalChoice): string {
  return applyJournalPolicy({
    configured: journal,
    sqliteVersion: versionOf(conn),
    fresh: pragmaOf(conn, "page_count") === 0,
    mayBeHeld: () => mayBeHeld(conn, path),
    isCrossVmMount: () => isCrossVmMount(path),
    pragma: (text) => pragmaOf(conn, text),
    sleep: (ms) => {
      systemClock.sleep(ms);
    },
    warn: (code, message) => {
      warnOnce(code, label, `${label}: ${message}`);
    },
  });
}

/** What every write-ahead log needs: an end on disk, and the barriers that macOS does not set by itself. */
function accompany(conn: SqliteHandle): void {
  pragmaOf(conn, `journal_size_limit=${LOG_BYTES}`);
  if (process.platform !== "darwin") return;
  pragmaOf(conn, "checkpoint_fullfsync=1");
  pragmaOf(conn, "synchronous=FULL");
}

/**
 * Chooses the journal mode of an open connection as a store does when it opens: write-ahead logging where it is safe
 * to begin it. A file that has it keeps it, and one that others may hold is left as it is.
 *
 * @param conn - Of any SQLite library for Node; it stays the caller's.
 * @returns The mode in effect.
 * @throws StateError `STATE_E_WAL_UNSUPPORTED` when it is required and not to be had. TypeError for no connection.
 */
export function applyWalWithFallback(conn: SqliteHandle, options: WalOptions = {}): string {
  checkKnownOptions("applyWalWithFallback", options, ["dbLabel", "requireWal", "journal"]);
  const current = String(pragmaOf(conn, "journal_mode")).toLowerCase();
  const path = fileOf(conn);
  const { dbLabel = path ?? "an unnamed database", requireWal = false, journal = "wal" } = options;
  const mode = path === undefined ? current : settle(conn, path, dbLabel, journal);
  if (mode === "wal") accompany(conn);
  if (mode === "wal" || !requireWal) return mode;
  const text = `${dbLabel} has the journal mode ${mode}, and write-ahead logging cannot be switched on for it now.`;
  throw new StateError("STATE_E_WAL_UNSUPPORTED", `${text} Close what else has it open, or do without.`, {
    path,
    mode,
  });
}
