import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { unknownHolder } from "./holder.js";
import type { Holder } from "./holder.js";
import { isProductCommand } from "./is-product-command.js";
import { PROCESS_TABLE } from "./process-start.js";
import { isScopedElsewhere } from "./scope-of-command.js";
import { identityOf, watchedFiles } from "./watched-files.js";
import type { WatchedFiles } from "./watched-files.js";

const DELETED = " (deleted)";
const LONGEST_COMMAND = 300;

/** What a scan for holders found. */
export interface HolderScan {
  /**
   * Processes that have the file open, and those that cannot be looked at and are recognisably ours. When nothing can
   * be ruled out, one of them has the id -1.
   */
  readonly holders: readonly Holder[];
  /** False where the system cannot be asked, or a process could not be looked at, whoever it was. */
  readonly complete: boolean;
}

/** ENOENT and ESRCH: the process or its descriptor went away while it was looked at, which is no holder. */
function isGone(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ENOENT" || code === "ESRCH";
}

function statDescriptor(link: string): { readonly dev: number; readonly ino: number } | undefined {
  try {
    return statSync(link);
  } catch {
    // Closed meanwhile, or not to be followed; what the link says is all there is.
    return undefined;
  }
}

/** True when an open descriptor is one of the files: by name, deleted generations included, or by identity. */
function isWatched(link: string, target: string, watched: WatchedFiles): boolean {
  // Sockets, pipes and the like have no path.
  if (!target.startsWith("/")) return false;
  const deleted = target.endsWith(DELETED);
  const named = watched.names.has(target) || (deleted && watched.names.has(target.slice(0, -DELETED.length)));
  const stat = statDescriptor(link);
  if (stat === undefined) return named;
  // The same name on another device is a file of another mount.
  if (named && (watched.device === undefined || stat.dev === watched.device)) return true;
  return watched.identities.has(identityOf(stat));
}

function openFilesOf(process: string, watched: WatchedFiles): string[] {
  const found = new Set<string>();
  for (const descriptor of readdirSync(`${process}/fd`)) {
    const link = `${process}/fd/${descriptor}`;
    try {
      const target = readlinkSync(link);
      if (isWatched(link, target, watched)) found.add(target);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return [...found];
}

function argumentsOf(process: string): readonly string[] {
  try {
    return readFileSync(`${process}/cmdline`, "utf8")
      .split("\0")
      .filter((token) => token !== "");
  } catch {
    // Gone, or hidden: what cannot be recognised is not ours.
    return [];
  }
}

/** What is known of one process; `unreadable` is one that could not be looked at and says nothing of itself. */
function examine(process: string, pid: number, watched: WatchedFiles): Holder | "none" | "unreadable" {
  let files: readonly string[];
  let unreadable = false;
  try {
    files = openFilesOf(process, watched);
  } catch (error) {
    if (isGone(error)) return "none";
    files = [];
    unreadable = true;
  }
  if (!unreadable && files.length === 0) return "none";
  const argv = argumentsOf(process);
  if (unreadable && (!isProductCommand(argv) || isScopedElsewhere(argv, watched))) return "unreadable";
  return { pid, files, command: argv.join(" ").slice(0, LONGEST_COMMAND) };
}

/**
 * Lists the other processes that have the database open, deleted sidecars and other names of its files included
 * (Linux: /proc). A process that may not be looked at counts only if its command line is one of this product's and does
 * not prove that it works in another home; else every daemon of another user would be a holder. A scan that fails
 * counts as one.
 *
 * @param path - The database; a link is followed.
 * @param table - Folder of the process table; tests have one of their own.
 * @returns Holders, never this process. Source of the rule: SEA-10.
 */
export function findHolders(path: string, table: string = PROCESS_TABLE): HolderScan {
  // Other systems have no list of open files to read; there the lock and the engine must do.
  if (process.platform !== "linux") return { holders: [], complete: false };
  let watched: WatchedFiles;
  let pids: string[];
  try {
    watched = watchedFiles(path);
    pids = readdirSync(table).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  } catch (error) {
    return { holders: [unknownHolder(error instanceof Error ? error.message : String(error))], complete: false };
  }
  const holders: Holder[] = [];
  let complete = true;
  for (const pid of pids) {
    const found = examine(`${table}/${pid}`, Number(pid), watched);
    if (found === "unreadable") complete = false;
    else if (found !== "none") holders.push(found);
  }
  return { holders, complete };
}
