import { readdirSync, readlinkSync } from "node:fs";
import { SIDECAR_SUFFIXES } from "../files/file-names.js";

const DELETED = " (deleted)";

/** A process that has a database or one of its sidecars open. */
export interface Holder {
  readonly pid: number;
  readonly files: readonly string[];
}

/**
 * What a scan for holders found; `complete` is false where the system cannot be asked, or a process could not be
 * looked at.
 */
export interface HolderScan {
  readonly holders: readonly Holder[];
  readonly complete: boolean;
}

function watchedFilesOf(pid: string, watched: ReadonlySet<string>): string[] {
  const folder = `/proc/${pid}/fd`;
  const found = new Set<string>();
  for (const descriptor of readdirSync(folder)) {
    try {
      const target = readlinkSync(`${folder}/${descriptor}`);
      const name = target.endsWith(DELETED) ? target.slice(0, -DELETED.length) : target;
      if (watched.has(name)) found.add(target);
    } catch {
      // The descriptor was closed between listing and reading it.
    }
  }
  return [...found];
}

/** ENOENT and ESRCH: the process ended while it was looked at, which is no holder. */
function isGone(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ENOENT" || code === "ESRCH";
}

/**
 * Lists the other processes that have the database open, deleted sidecars included (Linux: /proc).
 *
 * @param path - Canonical path of the database: the kernel reports resolved names.
 * @returns Holders, never this process. Source of the rule: SEA-10.
 */
export function findHolders(path: string): HolderScan {
  if (process.platform !== "linux") return { holders: [], complete: false };
  const watched = new Set([path, ...SIDECAR_SUFFIXES.map((suffix) => path + suffix)]);
  const holders: Holder[] = [];
  let complete = true;
  let pids: string[];
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  } catch {
    // No process table: nothing can be ruled out.
    return { holders: [], complete: false };
  }
  for (const pid of pids) {
    try {
      const files = watchedFilesOf(pid, watched);
      if (files.length > 0) holders.push({ pid: Number(pid), files });
    } catch (error) {
      if (!isGone(error)) complete = false;
    }
  }
  return { holders, complete };
}
