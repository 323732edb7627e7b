import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Runs a script in the system's Python and returns what it printed as JSON. */
export function runPython<T>(script: string, ...args: readonly string[]): T {
  const text = execFileSync("python3", ["-c", script, ...args], { encoding: "utf8", timeout: 20_000 });
  return JSON.parse(text) as T;
}

/** A Python process that holds the write lock of a file. */
export interface LockHolder {
  /** Ends the process; the lock goes with it. */
  release(): Promise<void>;
}

const HOLD = `
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
c.execute("COMMIT")
`;

/**
 * Starts a Python process that takes the write lock, and waits until it has it.
 *
 * @param seconds - It lets go by itself after this long.
 */
export async function holdWriteLock(path: string, seconds: number): Promise<LockHolder> {
  const child = spawn("python3", ["-c", HOLD, path, String(seconds)], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return { release: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
