import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readLines } from "./lines.js";

/** How a child ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It was killed because its time was up. */
  readonly timedOut: boolean;
}

/** A child process, bounded in time and reaped by its own id: `await using child = spawnChild(...)`. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Complete lines of standard output so far. */
  readonly lines: readonly string[];
  /** Settles when the process is gone; never rejects. */
  readonly exit: Promise<ChildExit>;
  /**
   * Waits for a line of standard output.
   * @throws Error when the process ends without it; its standard error is in the message.
   */
  waitForLine(matches: (line: string) => boolean): Promise<string>;
  /** Writes one line to standard input. */
  send(line: string): void;
  /** Sends a signal to this process only; SIGKILL when none is named. */
  kill(signal?: NodeJS.Signals): void;
}

/** Bounds and surroundings of a child. */
export interface ChildOptions {
  /** Milliseconds after which it is killed; 60,000 when not given. */
  readonly timeout?: number;
  readonly cwd?: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Called with each complete line of standard output. */
  readonly onLine?: (line: string) => void;
}

/** Starts a process with piped streams. */
export function spawnChild(command: string, args: readonly string[], options: ChildOptions): Child {
  const child = spawn(command, [...args], { env: { ...options.env }, cwd: options.cwd, stdio: "pipe" });
  const lines: string[] = [];
  const waiters = new Set<(line: string) => void>();
  let stderr = "";
  readLines(child.stdout, (line) => {
    lines.push(line);
    options.onLine?.(line);
    for (const waiter of waiters) waiter(line);
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdin.on("error", () => undefined); // the process may be gone: its exit tells, not its pipe
  const kill = (signal: NodeJS.Signals = "SIGKILL"): void => {
    child.kill(signal);
  };
  const exit = exitOf(child, options.timeout ?? 60_000, () => ({ stdout: lines.join("\n"), stderr }));
  return {
    pid: child.pid ?? -1,
    lines,
    exit,
    waitForLine: (matches) =>
      new Promise((resolve, reject) => {
        const seen = lines.find(matches);
        if (seen !== undefined) {
          resolve(seen);
          return;
        }
        const waiter = (line: string): void => {
          if (!matches(line)) return;
          waiters.delete(waiter);
          resolve(line);
        };
        waiters.add(waiter);
        void exit.then((end) => {
          if (waiters.delete(waiter)) reject(new Error(`the child ended without the line: ${JSON.stringify(end)}`));
        });
      }),
    send: (line) => {
      child.stdin.write(`${line}\n`);
    },
    kill,
    [Symbol.asyncDispose]: async () => {
      kill();
      await exit;
    },
  };
}

function exitOf(
  child: ChildProcessWithoutNullStreams,
  timeout: number,
  output: () => { stdout: string; stderr: string },
): Promise<ChildExit> {
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, timeout);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve({ code: null, signal: null, stdout: output().stdout, stderr: String(error), timedOut });
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...output(), timedOut });
    });
  });
}
