import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";

/** Runs a script in the system's Python and returns what it printed as JSON. */
export function runPython<T>(script: string, ...args: readonly string[]): T {
  const text = execFileSync("python3", ["-c", script, ...args], { encoding: "utf8", timeout: 20_000 });
  return JSON.parse(text) as T;
}

/** A Python process that takes the write lock of a file when it is told to. */
export interface LockHolder extends AsyncDisposable {
  /** Makes it take the lock; returns when it has it. */
  take(): void;
  /** Ends it; the lock goes with it. */
  release(): Promise<void>;
}

const HOLD = `
import os, sqlite3, sys, time
path, seconds = sys.argv[1], float(sys.argv[2])
c = sqlite3.connect(path, isolation_level=None)
print("ready", flush=True)
while not os.path.exists(path + ".take"): time.sleep(0.005)
c.execute("BEGIN IMMEDIATE")
open(path + ".taken", "w").close()
time.sleep(seconds)
c.execute("COMMIT")
`;

/**
 * Starts the process, so that it can take the lock in the middle of synchronous work.
 *
 * @param seconds - It lets go by itself this long after it took the lock.
 */
export async function lockHolder(path: string, seconds: number): Promise<LockHolder> {
  const child = spawn("python3", ["-c", HOLD, path, String(seconds)], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const release = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    release,
    [Symbol.asyncDispose]: release,
    take: () => {
      writeFileSync(`${path}.take`, "");
      const pause = new Int32Array(new SharedArrayBuffer(4));
      for (let n = 0; n < 2000 && !existsSync(`${path}.taken`); n += 1) Atomics.wait(pause, 0, 0, 5);
      if (!existsSync(`${path}.taken`)) throw new Error("the Python process did not take the lock within 10 s");
    },
  };
}
