import { canonicalPath, findHolders, liveConnectionCount, StateError } from "@hermes/state-core";
import type { Driver, HolderScan } from "@hermes/state-core";
import { commandOf } from "./command-of.js";
import { isLockedByOthers } from "./lock-probe.js";

/** A process that has the database or a sidecar open. */
export interface LiveHolder {
  readonly pid: number;
  /** Its command line, shortened; undefined when it may not be looked at. */
  readonly command: string | undefined;
  readonly files: readonly string[];
}

/** Why a database counts as in use. */
export interface LiveWriter {
  /**
   * - `own`: connections of this process;
   * - `holders`: other processes have it open;
   * - `unknown`: the processes could not all be looked at;
   * - `lock`: somebody holds a lock on it.
   */
  readonly via: "own" | "holders" | "unknown" | "lock";
  readonly holders: readonly LiveHolder[];
}

/** Seams of the search, for tests. */
export interface LiveWriterOptions {
  readonly driver?: Driver;
  readonly scan?: (path: string) => HolderScan;
  /** As `process.platform`. */
  readonly platform?: string;
}

function scanned(
  path: string,
  { scan = findHolders, platform = process.platform }: LiveWriterOptions,
): LiveWriter | undefined {
  let found: HolderScan;
  try {
    found = scan(path);
  } catch {
    // A search that fails has ruled nobody out.
    return { via: "unknown", holders: [] };
  }
  if (found.holders.length > 0) {
    const holders = found.holders.map(({ pid, files }) => ({ pid, files, command: commandOf(pid) }));
    return { via: "holders", holders };
  }
  // Where there is no table of processes at all, the locks must do.
  return found.complete || platform !== "linux" ? undefined : { via: "unknown", holders: [] };
}

function isLocked(path: string, driver: Driver | undefined): boolean {
  try {
    return isLockedByOthers(path, driver);
  } catch {
    // A file that cannot be opened has no writer that this could tell of, and refusing would strand its repair.
    return false;
  }
}

/**
 * Finds out whether anybody may write to a database: this process, another one that has it open, or a lock on it.
 * Surgery beneath a writer spreads damage, so any answer means refusal; a refusal spends no attempt.
 *
 * @param path - The database. Its bytes are not changed by the search.
 * @returns Who, or undefined when nobody was found. Source of the rule: REP-08.
 */
export function findLiveWriter(path: string, options: LiveWriterOptions = {}): LiveWriter | undefined {
  const real = canonicalPath(path);
  if (liveConnectionCount(real) > 0) return { via: "own", holders: [] };
  const found = scanned(real, options);
  if (found) return found;
  return isLocked(real, options.driver) ? { via: "lock", holders: [] } : undefined;
}

function who({ via, holders }: LiveWriter): string {
  if (via === "own") return "this process itself has it open";
  if (via === "lock") return "somebody holds a lock on it";
  if (via === "unknown") return "not every process could be looked at, so it may be in use";
  return holders
    .map(
      ({ pid, command, files }) =>
        `process ${String(pid)}${command ? ` (${command})` : ""} has ${files.join(", ")} open`,
    )
    .join("; ");
}

const NEXT: Readonly<Record<LiveWriter["via"], string>> = {
  own: "Close the store first and try again.",
  holders: "Stop the gateway and every other program named here, then try again.",
  unknown: "Try again as the user who runs the gateway, or as root, once it is stopped.",
  lock: "Stop the gateway and every other program that uses the store, on other machines too, then try again.",
};

/**
 * The refusal for a database that is in use; nothing was changed.
 *
 * @param doing - What is refused, in a few words: "repair".
 */
export function liveWriterRefusal(path: string, doing: string, writer: LiveWriter): StateError {
  return new StateError(
    "STATE_E_STORE_HELD",
    `Could not ${doing} ${path}: ${who(writer)}. Nothing was changed. ${NEXT[writer.via]}`,
    { path, doing, via: writer.via, holders: writer.holders, processes: writer.holders.map((holder) => holder.pid) },
  );
}
