import { canonicalPath, findHolders, liveConnectionCount, StateError } from "@hermes/state-core";
import type { Driver, Holder, HolderScan } from "@hermes/state-core";
import { isLockedByOthers } from "./lock-probe.js";

/** Why a database counts as in use. */
export interface LiveWriter {
  /**
   * - `own`: connections of this process;
   * - `holders`: other processes have it open;
   * - `unknown`: the system did not say who has it open;
   * - `lock`: somebody holds a lock on it;
   * - `written`: somebody wrote to it since its bundle was taken.
   */
  readonly via: "own" | "holders" | "unknown" | "lock" | "written";
  readonly holders: readonly Holder[];
}

/** Seams of the search, for tests. */
export interface LiveWriterOptions {
  readonly driver?: Driver;
  readonly scan?: (path: string) => HolderScan;
}

/** What could not be ruled out is in the answer as a holder, and where there is no list at all the locks must do. */
function scanned(path: string, scan: (path: string) => HolderScan): LiveWriter | undefined {
  const { holders } = scan(path);
  if (holders.length === 0) return undefined;
  return { via: holders.every((holder) => holder.pid < 0) ? "unknown" : "holders", holders };
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
  const found = scanned(real, options.scan ?? findHolders);
  if (found) return found;
  return isLocked(real, options.driver) ? { via: "lock", holders: [] } : undefined;
}

function describe({ pid, command, files }: Holder): string {
  const name = pid < 0 ? "somebody" : `process ${String(pid)}`;
  return `${name} (${command}) ${files.length > 0 ? `has ${files.join(", ")} open` : "may have it open"}`;
}

function who({ via, holders }: LiveWriter): string {
  if (via === "own") return "this process itself has it open";
  if (via === "lock") return "somebody holds a lock on it";
  if (via === "written") return "somebody wrote to it after it was copied";
  return holders.map(describe).join("; ");
}

const NEXT: Readonly<Record<LiveWriter["via"], string>> = {
  own: "Close the store first and try again.",
  holders: "Stop the gateway and every other program named here, then try again.",
  unknown: "Stop the gateway and try again as the user who runs it, or as root.",
  lock: "Stop the gateway and every other program that uses the store, on other machines too, then try again.",
  written: "Stop the gateway and every other program that uses the store, then try again.",
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
