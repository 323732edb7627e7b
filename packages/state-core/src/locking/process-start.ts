import { readFileSync } from "node:fs";

/** Where the kernel lists processes. Tests put a folder of their own in its place. */
export const PROCESS_TABLE = "/proc";

/**
 * When a process started, in kernel ticks since boot: with its id, the name of one life of a process.
 *
 * @param table - Folder of the process table.
 * @returns Undefined where there is no such process, or it cannot be looked at.
 */
export function processStart(pid: number, table: string = PROCESS_TABLE): number | undefined {
  try {
    const stat = readFileSync(`${table}/${pid}/stat`, "latin1");
    // The second field is the program's name, which may hold spaces and parentheses itself.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    return /^\d+$/.test(ticks) ? Number(ticks) : undefined;
  } catch {
    // Without a process table nothing is known; whoever asks must not conclude anything.
    return undefined;
  }
}
