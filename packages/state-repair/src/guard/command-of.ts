import { readFileSync } from "node:fs";

const LONGEST = 120;

/** The command line of a process, shortened; undefined when it is gone or may not be looked at. */
export function commandOf(pid: number): string | undefined {
  try {
    const words = readFileSync(`/proc/${String(pid)}/cmdline`, "utf8")
      .split("\0")
      .filter(Boolean);
    const text = words.join(" ");
    return text === "" ? undefined : text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  } catch {
    // Only a help for people: without it the process id remains.
    return undefined;
  }
}
