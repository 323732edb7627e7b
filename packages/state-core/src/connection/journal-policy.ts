import { sqliteResult } from "../errors/sqlite-result.js";
import { hasWalResetBug } from "./wal-reset-bug.js";

/** A journal mode a caller may ask for. */
export type JournalChoice = "wal" | "delete";

/** What the policy looks at and acts through; faked in its test. */
export interface JournalSurroundings {
  readonly configured: JournalChoice;
  readonly sqliteVersion: string;
  /** The file has no page yet, so nobody can rely on its mode. */
  readonly fresh: boolean;
  /** Another connection, of this or another process, may have the file open; unknown counts as yes. */
  mayBeHeld(): boolean;
  /** The file lies on a mount shared with another kernel. */
  isCrossVmMount(): boolean;
  /** Runs `PRAGMA <text>` and returns its first value. */
  pragma(text: string): unknown;
  sleep(ms: number): void;
  warn(code: JournalWarning, message: string): void;
}

/** Why the effective mode is not the one asked for. */
export type JournalWarning = "HERMES_STATE_WAL_BUG" | "HERMES_STATE_WAL_REFUSED" | "HERMES_STATE_JOURNAL_KEPT";

const PROBE_RETRIES = 4;
const ENABLE_RETRIES = 2;
const RETRY_MS = 50;
const INCOMPATIBLE = ["locking protocol", "not authorized", "disk i/o error"];

function isIoError(error: unknown): boolean {
  return sqliteResult(error)?.primary === 10;
}

function isIncompatible(error: unknown): boolean {
  const text = error instanceof Error ? error.message.toLowerCase() : "";
  return isIoError(error) || INCOMPATIBLE.some((marker) => text.includes(marker));
}

/** A one-shot I/O error must not decide a mode: one process would downgrade while its siblings stay on WAL. */
function retryIoError<T>(around: JournalSurroundings, retries: number, action: () => T): T {
  for (let attempt = 0; ; attempt++) {
    try {
      return action();
    } catch (error) {
      if (!isIoError(error) || attempt >= retries) throw error;
      around.sleep(RETRY_MS);
    }
  }
}

/** The mode the file has now; undefined when it cannot be read, in which case nothing about it may be changed. */
function probeMode(around: JournalSurroundings): string | undefined {
  try {
    return String(retryIoError(around, PROBE_RETRIES, () => around.pragma("journal_mode"))).toLowerCase();
  } catch (error) {
    if (isIoError(error)) return undefined;
    throw error;
  }
}

function bugMessage(version: string, consequence: string): string {
  return (
    `The SQLite ${version} linked by ${process.execPath} has the WAL-reset bug, which can lose committed pages; ` +
    `${consequence} Upgrade to a build with SQLite 3.51.3 or later.`
  );
}

function refused(around: JournalSurroundings, why: string): string {
  around.warn(
    "HERMES_STATE_WAL_REFUSED",
    `Write-ahead logging is not available for this file (${why}); it keeps a rollback journal.`,
  );
  return "delete";
}

function enableWal(around: JournalSurroundings): string {
  try {
    const answer = String(retryIoError(around, ENABLE_RETRIES, () => around.pragma("journal_mode=WAL"))).toLowerCase();
    // Network file systems may keep the old mode without raising: only the returned mode counts.
    return answer === "wal" ? answer : refused(around, `the file system answered ${answer}`);
  } catch (error) {
    if (!isIncompatible(error)) throw error;
    const mode = probeMode(around);
    if (mode === undefined || mode === "wal") throw error;
    return refused(around, (error as Error).message);
  }
}

/**
 * Chooses the journal mode of a file and puts it into effect (COR-01, docs/wal.md).
 *
 * A file that is in WAL keeps it; a file whose mode cannot be read is not touched; WAL is enabled only on a fresh file
 * or on one that nobody else can hold, with a library that does not have the WAL-reset bug and on a mount that can
 * carry it.
 *
 * @returns The mode in effect: "wal" or "delete".
 */
export function applyJournalPolicy(around: JournalSurroundings): string {
  const mode = probeMode(around);
  const buggy = hasWalResetBug(around.sqliteVersion);
  if (mode === undefined || mode === "wal") {
    if (buggy)
      around.warn(
        "HERMES_STATE_WAL_BUG",
        bugMessage(around.sqliteVersion, "this file is in WAL mode already and keeps it."),
      );
    if (mode === "wal" && around.configured === "delete") {
      around.warn(
        "HERMES_STATE_JOURNAL_KEPT",
        "The file is in WAL mode and keeps it: the journal mode of a shared file is changed offline only, " +
          "with every process stopped.",
      );
    }
    return "wal";
  }
  if (around.configured === "delete") return mode;
  if (buggy) {
    around.warn("HERMES_STATE_WAL_BUG", bugMessage(around.sqliteVersion, "the file keeps a rollback journal."));
    return mode;
  }
  if (around.isCrossVmMount()) return refused(around, "the mount is shared with another kernel");
  if (!around.fresh && around.mayBeHeld()) return mode;
  return enableWal(around);
}
