import { readFileSync } from "node:fs";

const MAX_ANCESTORS = 64;

/** What can be learned of one process; undefined where it may not be looked at. */
export interface ProcessEntry {
  readonly parent: number;
  /** Arguments as the process was started with, or undefined when they cannot be read. */
  readonly argv: readonly string[] | undefined;
}

/** Looks at one process of this machine. */
export type ProcessReader = (pid: number) => ProcessEntry | undefined;

/** Reads /proc; on systems without it nothing is known about any process. */
export const readProcess: ProcessReader = (pid) => {
  let parent: number;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // Gone, or another system: this process cannot be looked at.
    return undefined;
  }
  try {
    return { parent, argv: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean) };
  } catch {
    // An unreadable command line is not evidence of a test.
    return { parent, argv: undefined };
  }
};

/** The argument lists of the process's ancestors, nearest first; unreadable ones are left out. */
export function* ancestorArguments(startPid: number, read: ProcessReader): Generator<readonly string[]> {
  let pid = read(startPid)?.parent ?? 0;
  for (let hops = 0; hops < MAX_ANCESTORS && pid > 0; hops++) {
    const entry = read(pid);
    if (!entry) return;
    if (entry.argv) yield entry.argv;
    pid = entry.parent;
  }
}
